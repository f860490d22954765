// SPDX-License-Identifier: AGPL-3.0-or-later
// A real folder of its own for one test, removed with everything in it. Files hold their own path, so that a test sees
// which one was found.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "opi/image_index.h"

namespace opispool::opi::testing {

class TempStore {
  public:
    TempStore() {
        std::string pattern = (std::filesystem::temp_directory_path() / "opispool-store-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) std::abort();
        root_ = pattern;
    }
    explicit TempStore(const std::vector<std::string>& files) : TempStore() {
        for (const std::string& file : files) add(file);
    }
    TempStore(const TempStore&) = delete;
    TempStore& operator=(const TempStore&) = delete;
    ~TempStore() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }

    std::string root() const { return root_.string(); }
    std::filesystem::path at(const std::string& relative) const { return root_ / relative; }
    void folder(const std::string& relative) const { std::filesystem::create_directories(at(relative)); }
    void add(const std::string& relative) const {
        std::filesystem::create_directories(at(relative).parent_path());
        std::ofstream file(at(relative), std::ios::binary);
        file << relative;
        ASSERT_TRUE(file.good()) << relative;
    }
    void link(const std::string& target, const std::string& relative) const {
        std::filesystem::create_directories(at(relative).parent_path());
        std::filesystem::create_symlink(target, at(relative));
    }
    void hard_link(const std::string& existing, const std::string& relative) const {
        std::filesystem::create_directories(at(relative).parent_path());
        std::filesystem::create_hard_link(at(existing), at(relative));
    }

  private:
    std::filesystem::path root_;
};

inline ImageIndex index_of(const std::vector<std::string>& roots, SearchRules rules = {}, IndexLimits limits = {}) {
    auto index = ImageIndex::open(roots, std::move(rules), limits);
    if (!index) throw std::runtime_error(describe(index.error()));
    return std::move(*index);
}

inline std::string content_of(const FoundImage& image) {
    std::string content(image.file->size(), '\0');
    const auto got = image.file->read_at(0, std::as_writable_bytes(std::span(content)));
    return got && *got == content.size() ? content : "unreadable";
}

// The relative path of the file found, or "CODE: text".
inline std::string found(const ImageIndex& index, std::string_view name) {
    const auto image = index.find(name);
    if (!image) return std::string(name_of(image.error().code)) + ": " + image.error().text;
    return content_of(*image);
}

}  // namespace opispool::opi::testing
