// SPDX-License-Identifier: AGPL-3.0-or-later
// QueueService: what operators order whole queues to do.
#include <algorithm>
#include <utility>

#include "queues/job_text.h"
#include "queues/queue_service.h"

namespace opispool::queues {

Queue* QueueService::queue_named(const std::string& name) {
    const auto found = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& q) { return q.name == name; });
    return found == queues_.end() ? nullptr : &*found;
}

Result<Queue> QueueService::accepting_queue(const std::string& name) const {
    const Queue* target = queue(name);
    if (target == nullptr) return fail(no_such_queue(name));
    if (target->accepting && !target->redirect.empty()) target = queue(target->redirect);
    if (target->accepting) return *target;
    return fail(Code::not_permitted, Operation::execute,
                "queue \"" + target->name + "\" does not accept jobs at present");
}

void QueueService::give_order(QueueOrder order, Done done) {
    const auto configured =
        std::find_if(configured_.begin(), configured_.end(), [&](const Queue& q) { return q.name == order.queue; });
    if (configured == configured_.end()) return done(fail(no_such_queue(order.queue)));
    const bool as_configured = value_of(*configured, order.word) == order.value;
    order.at_ms = clock_.now_ms();
    auto stored = std::make_shared<Result<void>>();
    runner_.run(
        [order, as_configured, stored](JobStore& store) {
            *stored = as_configured ? store.forget_order(order.queue, order.word) : store.save_order(order);
        },
        [this, order, as_configured, stored, done = std::move(done)] {
            if (!*stored) return done(*stored);
            Queue* ordered = queue_named(order.queue);
            obey(*ordered, order);
            if (as_configured) ordered->orders.erase(order.word);
            for (const QueueListener& listener : queue_listeners_) listener(order);
            done({});
        });
}

void QueueService::set_switch(const std::string& name, QueueWord word, bool on, const std::string& actor, Done done) {
    give_order({name, word, on ? "yes" : "no", actor, 0}, std::move(done));
}

Result<void> QueueService::check_redirect(const std::string& from, const std::string& to) const {
    if (queue(from) == nullptr) return fail(no_such_queue(from));
    if (to.empty()) return {};
    const Queue* target = queue(to);
    if (target == nullptr) return fail(no_such_queue(to));
    const auto refuse = [](std::string text) { return fail(Code::not_permitted, Operation::execute, std::move(text)); };
    if (from == to) return refuse("queue \"" + from + "\" can't be redirected to itself");
    if (!target->accepting) return refuse("queue \"" + to + "\" does not accept jobs at present");
    if (!target->redirect.empty())
        return refuse("queue \"" + to + "\" is itself redirected to \"" + target->redirect +
                      "\"; redirect there, or end that first");
    for (const Queue& each : queues_)
        if (each.redirect == from)
            return refuse("queue \"" + each.name + "\" is redirected to \"" + from + "\"; end that first");
    return {};
}

void QueueService::redirect(const std::string& name, const std::string& to, const std::string& actor, Done done) {
    if (auto allowed = check_redirect(name, to); !allowed) return done(std::move(allowed));
    give_order({name, QueueWord::redirect, to, actor, 0},
               [this, name, to, actor, done = std::move(done)](Result<void> given) {
                   if (!given || to.empty()) return done(std::move(given));
                   VerbRequest request;
                   request.verb = Event::move;
                   request.actor = actor;
                   request.queue = to;
                   std::vector<JobId> ids;
                   for (const Job* job : jobs_of(name))
                       if (next_state(job->state, Event::move)) ids.push_back(job->id);
                   operate_all(std::move(ids), request, [done](const std::vector<VerbOutcome>& outcomes) {
                       // One that began to print meanwhile stays; a store that fails must be told.
                       for (const VerbOutcome& one : outcomes)
                           if (!one.result && one.result.error().code != Code::not_permitted) return done(one.result);
                       done({});
                   });
               });
}

}  // namespace opispool::queues
