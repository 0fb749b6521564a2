#include "api/watch.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/input/inputs.h"
#include "api/input/logs.h"
#include "api/input/wires.h"
#include "api/watch_findings.h"
#include "base/file.h"
#include "base/hash.h"
#include "watch/codes.h"
#include "watch/mapping/bind_mapping.h"
#include "watch/metrics.h"
#include "watch/watcher.h"
#include "wire/codec.h"
#include "wire/shapes.h"

namespace treaty::api {
namespace {

using Sources = std::vector<std::unique_ptr<watch::Source>>;

// What a state belongs to: the protocol's text, imports included, and everything that changes verdicts.
std::string identity_of(const WatchQuestion& question, const ProtocolInput& input, const Mappings& mappings,
                        const Context& context) {
    std::string text = input.digest;
    for (const std::string* part :
         {&question.protocol, &question.session, &question.wire, &question.verdicts})
        text += fmt::format("\n{}", *part);
    for (const watch::Mapping* mapping : mappings.all()) text += mapping->text;
    for (const auto* list : {&question.logs, &question.map, &question.mappings})
        for (const std::string& entry : *list) text += fmt::format("\n{}", entry);
    text += fmt::format("\n{} {} {} {} {}", watch::to_string(question.order), question.expire.count(),
                        question.data, question.sessions, context.states.value_or(0));
    return fmt::format("{:016x}", base::hash_bytes(text));
}

// Progress for the caller: a few times per second, and once at the end.
class Telling {
public:
    Telling(const ProgressSink& sink, const watch::Watcher& watcher, const watch::Monitor& monitor,
            const watch::Merge& merge)
        : sink_(sink), watcher_(watcher), monitor_(monitor), merge_(merge) {}

    void tell(bool last = false) {
        auto now = Clock::now();
        if (!sink_ || (!last && told_ && now - *told_ < interval)) return;
        WatchProgress p;
        p.messages = monitor_.counts().messages;
        double seconds = told_ ? std::chrono::duration<double>(now - *told_).count() : 0;
        if (seconds > 0) p.messages_per_second = static_cast<double>(p.messages - messages_) / seconds;
        p.live = monitor_.sessions();
        p.ended = watcher_.totals().sessions;
        p.failed = watcher_.totals().failed + monitor_.failing();
        p.garbled = merge_.garbled();
        p.unread = merge_.unread();
        p.last = last;
        told_ = now;
        messages_ = p.messages;
        sink_(p);
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds interval{250};

    const ProgressSink& sink_;
    const watch::Watcher& watcher_;
    const watch::Monitor& monitor_;
    const watch::Merge& merge_;
    std::optional<Clock::time_point> told_;
    std::uint64_t messages_ = 0;
};

class Observation {
public:
    Observation(const Inquiry& inquiry, const WatchQuestion& question, const ProtocolInput& input)
        : inquiry_(inquiry),
          question_(question),
          input_(input),
          vocabulary_(input.specification, *input.protocol),
          mappings_(inquiry, question.mappings, question.logs) {}

    void run(WatchAnswer& answer) {
        read_map();
        read_wire();
        for (const watch::Mapping* mapping : mappings_.all())
            watch::check_mapping(*mapping, vocabulary_, question_.data, inquiry_.diagnostics());
        Sources sources = open_logs();
        auto rule = watch::SessionRule::parse(question_.session);
        if (!rule)
            inquiry_.report(watch::codes::rule_unknown,
                            fmt::format("cannot tell sessions apart by {}", question_.session));
        else
            check_field(*rule);
        if (!inquiry_.diagnostics().ok()) return;
        watch::MonitorOptions monitoring = monitoring_for(sources);
        auto monitor = watch::Monitor::make(input_.specification, *input_.protocol, monitoring);
        if (!monitor) {
            inquiry_.report(watch::codes::log_unreadable, "the protocol has no net");
            return;
        }
        watch::Merge merge(std::move(sources), question_.order != watch::Order::causal, input_.specification,
                           *rule);
        watch::Watcher watcher(input_.specification, *input_.protocol, *monitor, merge, logs_, monitoring,
                               watching());
        watch_all(watcher, *monitor, merge, answer);
    }

private:
    model::RoleId role_named(const std::string& name) const {
        model::RoleId role = vocabulary_.role(name);
        if (!role) {
            std::vector<std::string_view> known;
            for (model::RoleId one : input_.protocol->roles())
                known.push_back(input_.specification.alphabet->name(one));
            inquiry_.report(watch::codes::role_unknown, fmt::format("the protocol has no role {}", name))
                .help(fmt::format("its roles are: {}", fmt::join(known, ", ")));
        }
        return role;
    }

    void check_field(const watch::SessionRule& rule) const {
        if (rule.by != watch::SessionRule::By::field) return;
        std::vector<std::string> known = watch::SessionRule::fields(input_.specification);
        if (std::find(known.begin(), known.end(), rule.field) != known.end()) return;
        inquiry_.report(watch::codes::rule_unknown, fmt::format("no message has a field {}", rule.field))
            .help(known.empty() ? "the messages of the file have no fields"
                                : fmt::format("the fields are: {}", fmt::join(known, ", ")));
    }

    void read_map() {
        for (const std::string& entry : question_.map) {
            auto equals = entry.rfind('=');
            std::string name = equals == std::string::npos ? entry : entry.substr(equals + 1);
            model::RoleId role = role_named(name);
            if (role && equals != std::string::npos) vocabulary_.map_address(entry.substr(0, equals), role);
        }
    }

    // What bytes are decoded by, where the protocol has a wire.
    void read_wire() {
        const model::Specification& specification = input_.specification;
        if (specification.wires.empty() && question_.wire.empty()) return;
        const wire::Wire* chosen = choose_wire(inquiry_, specification, question_.wire);
        if (chosen) codec_.emplace(*specification.pool, *chosen, wire::message_shapes(specification));
    }

    Sources open_logs() {
        Sources sources;
        for (const std::string& entry : question_.logs) {
            LogName log = log_named(entry);
            watch::SourceOptions options;
            options.follow = question_.follow;
            options.codec = codec_ ? &*codec_ : nullptr;
            options.mapping = mappings_.of(log);
            if (log.role) options.owner = role_named(*log.role);
            auto source = watch::open_source(log.path, vocabulary_, options);
            if (!source) {
                inquiry_.report(watch::codes::log_unreadable,
                                fmt::format("{}: {}", log.path, source.error()));
                continue;
            }
            if (!question_.state.empty() && !(*source)->can_resume())
                inquiry_.report(watch::codes::state_unusable,
                                fmt::format("{} cannot be read again after a restart", log.path));
            sources.push_back(std::move(*source));
            logs_.push_back(log.path);
        }
        return sources;
    }

    watch::MonitorOptions monitoring_for(const Sources& sources) const {
        watch::MonitorOptions options;
        options.sources = &inquiry_.sources();
        options.order = question_.order;
        options.data = question_.data;
        for (const auto& source : sources) options.data = options.data && source->has_data();
        options.complete = question_.complete;
        options.session_limit = question_.sessions;
        options.expire_ns = question_.expire.count();
        if (inquiry_.context.states) options.tracking.limit = *inquiry_.context.states;
        return options;
    }

    watch::WatcherOptions watching() const {
        watch::WatcherOptions options;
        options.follow = question_.follow;
        options.idle_ns = question_.idle.count();
        options.verdicts = question_.verdicts;
        options.state = question_.state;
        options.identity = identity_of(question_, input_, mappings_, inquiry_.context);
        return options;
    }

    // False after reporting that the address cannot be had.
    bool serve_metrics() {
        if (question_.metrics.empty()) return true;
        auto opened = watch::MetricsServer::open(question_.metrics);
        if (!opened) {
            if (watch::MetricsServer::is_address(question_.metrics))
                inquiry_.environment_failed(watch::codes::metrics_unserved, opened.error());
            else
                inquiry_.report(watch::codes::metrics_unserved, opened.error());
            return false;
        }
        metrics_ = std::move(*opened);
        if (question_.serving) question_.serving(metrics_->port());
        return true;
    }

    // False after reporting a file that cannot be written: as environment error, unlike one that is wrong.
    bool files_writable() const {
        for (const std::string& path : {question_.state, question_.verdicts}) {
            if (path.empty() || path == "-") continue;
            if (auto can = base::can_write(path); !can) {
                inquiry_.environment_failed(codes::cannot_write, can.error());
                return false;
            }
        }
        return true;
    }

    void watch_all(watch::Watcher& watcher, const watch::Monitor& monitor, const watch::Merge& merge,
                   WatchAnswer& answer) {
        if (!files_writable()) return;
        if (auto begun = watcher.begin(); !begun) {
            inquiry_.report(watch::codes::state_unusable, begun.error());
            return;
        }
        if (!serve_metrics()) return;
        Telling telling(inquiry_.context.progress, watcher, monitor, merge);
        auto written = watcher.run([&] {
            if (metrics_)
                metrics_->serve([&] {
                    return watch::metrics_text(watcher, monitor, merge, input_.specification,
                                               *input_.protocol);
                });
            telling.tell();
            return !inquiry_.context.deadline.passed();
        });
        if (written) written = watcher.commit();
        if (!written) return inquiry_.environment_failed(watch::codes::state_unusable, written.error());
        report_garbled(inquiry_, merge, logs_);
        if (merge.clock_missing())
            inquiry_.report(watch::codes::clock_missing,
                            "a record has no time, but --order needs a common clock");
        if (!inquiry_.diagnostics().ok()) return;
        const watch::Totals& totals = watcher.finish();
        telling.tell(true);  // with the sessions that ended just now
        tell_findings(inquiry_, {input_, watcher, monitor, merge, totals, logs_, question_.session}, answer);
    }

    const Inquiry& inquiry_;
    const WatchQuestion& question_;
    const ProtocolInput& input_;
    watch::Vocabulary vocabulary_;
    Mappings mappings_;
    std::optional<wire::Codec> codec_;
    std::vector<std::string> logs_;  // by source
    std::unique_ptr<watch::MetricsServer> metrics_;
};

}  // namespace

WatchAnswer watch(const Workspace& workspace, const WatchQuestion& question, const Context& context) {
    WatchAnswer answer;
    answer.inputs = {question.file};
    answer.inputs.insert(answer.inputs.end(), question.logs.begin(), question.logs.end());
    Inquiry inquiry(workspace, context, answer);
    auto input = load_protocol(inquiry, question.file, question.protocol);
    if (question.logs.empty()) inquiry.report(watch::codes::log_unreadable, "no log is given: --from LOG");
    if (input && inquiry.diagnostics().ok()) Observation(inquiry, question, *input).run(answer);
    return answer;
}

}  // namespace treaty::api
