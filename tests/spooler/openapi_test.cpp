// SPDX-License-Identifier: AGPL-3.0-or-later
// spooler/http/openapi.json against the router's table and against the running server.
#include <gmock/gmock.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.h"
#include "spooler/http/router.h"
#include "tests/spooler/http_test_server.h"

namespace opispool::http {
namespace {

namespace json = boost::json;

json::object description() {
    std::ostringstream text;
    text << std::ifstream(OPISPOOL_OPENAPI, std::ios::binary).rdbuf();
    return json::parse(text.str()).as_object();
}

std::string text_of(const json::value& value) {
    return std::string(value.as_string().c_str());
}

// "POST /api/jobs/{id}/move by queue"
std::string line_of(const std::string& method, const std::string& path, const std::set<std::string>& parameters) {
    std::string line = method + " " + path;
    for (const std::string& name : parameters) line += " " + name;
    return line;
}

struct Operation {
    std::string method, path;
    json::object body;
};

std::vector<Operation> operations(const json::object& api) {
    std::vector<Operation> all;
    for (const auto& path : api.at("paths").as_object())
        for (const auto& one : path.value().as_object())
            all.push_back({one.key() == "get" ? "GET" : "POST", std::string(path.key()), one.value().as_object()});
    return all;
}

std::set<std::string> query_of(const Operation& operation) {
    std::set<std::string> names;
    for (const json::value& each : operation.body.at("parameters").as_array())
        if (text_of(each.as_object().at("in")) == "query") names.insert(text_of(each.as_object().at("name")));
    return names;
}

TEST(OpenApi, DescribesTheRouterAndNothingElse) {
    std::set<std::string> described, known;
    for (const Operation& one : operations(description()))
        described.insert(line_of(one.method, one.path, query_of(one)));
    for (const RouteRow& row : all_routes()) {
        std::set<std::string> parameters;
        for (const std::string_view name : split_blank(row.parameters)) parameters.emplace(name);
        known.insert(line_of(std::string(row.method), row.pattern, parameters));
    }
    EXPECT_EQ(described, known);
}

std::string target_of(const Operation& operation) {
    std::string target = operation.path;
    for (const auto& [name, value] : {std::pair("{id}", "1"), std::pair("{queue}", "cover"), std::pair("{any}", "1")})
        if (const auto at = target.find(name); at != std::string::npos)
            target.replace(at, std::string_view(name).size(), value);
    const bool pattern = operation.path.starts_with("/api/jobs/") && !operation.path.starts_with("/api/jobs/{");
    std::string query = pattern ? "user=anna" : "";
    for (const json::value& each : operation.body.at("parameters").as_array()) {
        const json::object& parameter = each.as_object();
        if (!parameter.at("required").as_bool() || text_of(parameter.at("in")) != "query") continue;
        const std::string name = text_of(parameter.at("name"));
        query += (query.empty() ? "" : "&") + name + "=" + (name == "queue" ? "inside" : "9");
    }
    return target + (query.empty() ? "" : "?" + query);
}

// Every field that the description demands is in the answer.
void expect_fields(const json::object& api, const json::object& schema, const json::value& answer,
                   const std::string& where) {
    if (const json::value* reference = schema.if_contains("$ref")) {
        const std::string name = text_of(*reference).substr(std::string_view("#/components/schemas/").size());
        return expect_fields(api, api.at("components").at("schemas").at(name).as_object(), answer, where);
    }
    if (answer.is_null() && schema.contains("nullable")) return;
    if (const json::value* items = schema.if_contains("items"); items != nullptr && answer.is_array())
        for (const json::value& item : answer.as_array()) expect_fields(api, items->as_object(), item, where + "[]");
    const json::value* fields = schema.if_contains("properties");
    if (fields == nullptr) return;
    ASSERT_TRUE(answer.is_object()) << where;
    for (const auto& field : fields->as_object()) {
        const json::value* value = answer.as_object().if_contains(field.key());
        ASSERT_NE(value, nullptr) << where << "." << field.key();
        expect_fields(api, field.value().as_object(), *value, where + "." + std::string(field.key()));
    }
    if (!schema.contains("required") || !where.ends_with("[]")) return;
    EXPECT_EQ(answer.as_object().size(), fields->as_object().size()) << where << " has fields nobody describes";
}

TEST(OpenApi, TheServerAnswersAsDescribed) {
    const json::object api = description();
    for (const Operation& operation : operations(api)) {
        const std::string what = operation.method + " " + operation.path;
        TestServer server;
        exchange(server.port(), post("/api/queues/cover/jobs?user=anna&title=a", "%!PS\n"));
        if (operation.path.ends_with("/redo")) exchange(server.port(), post("/api/jobs/1/cancel"));
        const bool document = operation.path.ends_with("}/jobs");
        const std::string target = target_of(operation);
        const std::string raw =
            exchange(server.port(), operation.method == "GET" ? get(target) : post(target, document ? "%!PS\n" : ""));
        ASSERT_GT(raw.size(), 12U) << what;
        const std::string status = raw.substr(9, 3);
        const json::object& responses = operation.body.at("responses").as_object();
        ASSERT_TRUE(responses.contains(status)) << what << " answered " << status;
        // Without an IPP request the IPP door says that it wants one.
        const bool ipp = responses.contains("415");
        EXPECT_TRUE(ipp ? status == "415" : status == "200" || status == "201") << what << ": " << raw;
        if (ipp) continue;
        const json::object& content = responses.at(status).at("content").as_object();
        const std::string type(content.begin()->key());
        EXPECT_THAT(raw, testing::HasSubstr("Content-Type: " + type)) << what;
        if (type != "application/json") continue;
        expect_fields(api, content.begin()->value().at("schema").as_object(),
                      json::parse(raw.substr(raw.find("\r\n\r\n") + 4)), what);
    }
}

}  // namespace
}  // namespace opispool::http
