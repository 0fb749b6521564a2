#include "drive/process_stage.h"

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "base/wait.h"
#include "net/open.h"
#include "net/port.h"
#include "net/terminal.h"
#include "process/placeholders.h"

namespace treaty::drive {
namespace {

using model::RoleId;
using net::Address;
using net::AddressKind;
using process::Component;
using process::expand;
using std::chrono::milliseconds;

// A folder of a session's own, removed with it.
class Folder {
public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "treaty-XXXXXX").string();
        if (mkdtemp(pattern.data())) path_ = pattern;
    }
    ~Folder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

class ProcessStage final : public Stage {
public:
    explicit ProcessStage(ProgramOptions options) : options_(std::move(options)) {}

    base::Result<void> begin() override;
    base::Result<std::unique_ptr<Transport>> open(RoleId role, Time deadline) override;
    void wait(std::span<Transport* const> transports, Time until) override;
    Time now() const override { return Clock::now(); }
    const Ending& ending() const override { return component_ ? component_->ending() : none_; }
    const std::string& errors() const override { return component_ ? component_->errors() : nothing_; }
    void look() override {
        if (component_) component_->look();
    }
    void end(Time until) override;
    void renew() override { begun_ = begun_ && options_.command.empty(); }
    std::optional<std::string> gone(bool closed) override;
    bool fresh() const override { return fresh_; }
    bool reached_before(RoleId role) const override {
        return options_.command.empty() && reached_.contains(role);
    }
    bool ends_with_session() const override { return ends_with_session_; }

private:
    base::Result<void> start();
    base::Result<void> reset();
    void claim_named_ports();
    process::Surroundings expanded(process::Surroundings surroundings) const;
    bool hopeless();
    void tell_waiting(RoleId role, const std::string& why) {
        if (auto tell = std::exchange(options_.waiting, nullptr))
            tell(fmt::format("{} ({})", expand(options_.via.at(role), placeholders_), why));
    }
    base::Result<Address> address(RoleId role) const {
        auto read = net::parse_address(expand(options_.via.at(role), placeholders_));
        if (read) read->http_messages = options_.http_messages;
        return read;
    }

    ProgramOptions options_;
    std::unique_ptr<Folder> folder_;
    Companions companions_;
    std::unique_ptr<Component> component_;  // ends before the others
    std::optional<net::ClaimedPort> port_;  // as long as the component may listen there
    std::vector<net::ClaimedPort> named_ports_;
    std::map<std::string, std::string> placeholders_;
    net::Loop loop_;
    std::map<RoleId, std::shared_ptr<net::Listener>> listeners_;
    std::optional<net::Terminal> terminal_;
    std::optional<net::DescriptorWatch> errors_, status_;  // of the component
    absl::flat_hash_set<RoleId> reached_;                  // roles that a component has been connected to
    bool begun_ = false, fresh_ = true, ends_with_session_ = false;
    bool end_reported_ = false;  // the session knew how the component ended
    Ending none_;
    std::string nothing_;
};

base::Result<void> ProcessStage::begin() {
    look();
    bool broke = ending().ended && !ending().by_us && (ending().signal != 0 || ending().status != 0);
    if (begun_ && options_.keep && broke && !std::exchange(end_reported_, true)) {
        fresh_ = false;
        return {};
    }
    fresh_ = !begun_ || !options_.keep || ending().ended;
    if (std::string gone = fresh_ ? std::string() : companions_.ended(); !gone.empty())
        return base::Fault{gone};
    if (!fresh_) return reset();
    errors_.reset();
    status_.reset();
    component_.reset();
    companions_.stop();
    listeners_.clear();
    terminal_.reset();
    folder_ = std::make_unique<Folder>();
    auto started = start();
    begun_ = started.has_value();
    return begun_ ? reset() : started;
}

base::Result<void> ProcessStage::start() {
    port_.emplace();
    placeholders_ = {{"port", std::to_string(port_->number())}, {"tmp", folder_->path()}};
    claim_named_ports();
    bool stdio = false;
    end_reported_ = false;
    // One that listens waits for the next caller.
    ends_with_session_ = !options_.command.empty() && !options_.keep;
    for (const auto& [role, text] : options_.via) {
        auto at = address(role);
        if (!at) return base::Fault{at.error()};
        stdio = stdio || at->kind == AddressKind::stdio;
        ends_with_session_ = ends_with_session_ && (at->listen || at->kind == AddressKind::stdio);
        if (at->kind == AddressKind::pty) {
            auto terminal = net::open_terminal();
            if (!terminal) return base::Fault{terminal.error()};
            terminal_ = std::move(*terminal);
            placeholders_["tty"] = terminal_->path;
        }
        if (!at->listen) continue;
        auto listener = net::Listener::open(loop_, *at);
        if (!listener) return base::Fault{listener.error()};
        listeners_[role] = std::move(*listener);
    }
    auto until = Clock::now() + options_.startup;
    std::vector<Companion> beside = options_.beside;
    for (Companion& one : beside) {
        one.command = expand(one.command, placeholders_);
        one.ready = expand(one.ready, placeholders_);
        one.surroundings = expanded(std::move(one.surroundings));
    }
    if (auto started = companions_.start(loop_, beside, folder_->path(), until, options_.deadline); !started)
        return started;
    if (options_.command.empty()) return {};
    std::string command = expand(options_.command, placeholders_);
    // A component without {tty} in its command has the terminal as standard input and output.
    if (terminal_ && options_.command.find("{tty}") == std::string::npos)
        command = fmt::format("exec <{0} >{0}; {1}", terminal_->path, command);
    auto started = Component::start(command, stdio, folder_->path(), expanded(options_.surroundings));
    if (!started) return base::Fault{started.error()};
    component_ = std::move(*started);
    errors_.emplace(loop_, component_->error_descriptor());
    status_.emplace(loop_, component_->status_descriptor());
    if (options_.ready.empty()) return {};
    return await_ready(loop_, *component_, {"the component", {}, expand(options_.ready, placeholders_)},
                       until, options_.deadline);
}

// Each {port:NAME} is a free port of its own, the same wherever it is written.
void ProcessStage::claim_named_ports() {
    named_ports_.clear();
    std::vector<std::string> texts{options_.command, options_.reset, options_.ready};
    auto add = [&](const process::Surroundings& one) {
        texts.insert(texts.end(), one.variables.begin(), one.variables.end());
        texts.push_back(one.directory);
    };
    add(options_.surroundings);
    for (const Companion& one : options_.beside) {
        texts.insert(texts.end(), {one.command, one.ready});
        add(one.surroundings);
    }
    for (const auto& [role, text] : options_.via) texts.push_back(text);
    for (const std::string& text : texts)
        for (std::string& name : process::names_of_ports(text)) {
            if (placeholders_.contains(name)) continue;
            named_ports_.emplace_back();
            placeholders_[std::move(name)] = std::to_string(named_ports_.back().number());
        }
}

process::Surroundings ProcessStage::expanded(process::Surroundings surroundings) const {
    for (std::string& variable : surroundings.variables) variable = expand(variable, placeholders_);
    surroundings.directory = expand(surroundings.directory, placeholders_);
    return surroundings;
}

base::Result<void> ProcessStage::reset() {
    if (options_.reset.empty()) return {};
    auto started =
        Component::start(expand(options_.reset, placeholders_), false, {}, expanded(options_.surroundings));
    if (!started) return base::Fault{started.error()};
    std::unique_ptr<Component> command = std::move(*started);
    command->await_end(Clock::now() + std::chrono::seconds(30));
    const Ending& end = command->ending();
    if (end.ended && end.signal == 0 && end.status == 0) return {};
    if (!end.ended) return base::Fault{"the reset command does not end"};
    return base::Fault{fmt::format("the reset command ended with {} {}: {}", end.signal ? "signal" : "status",
                                   end.signal ? end.signal : end.status, command->errors().substr(0, 200))};
}

// Waiting for it is pointless.
bool ProcessStage::hopeless() {
    look();
    return options_.deadline.passed() || ending().ended;
}

base::Result<std::unique_ptr<Transport>> ProcessStage::open(RoleId role, Time deadline) {
    auto at = address(role);
    if (!at) return base::Fault{at.error()};
    std::string fault;
    std::unique_ptr<Transport> made;
    if (at->kind == AddressKind::stdio) {
        if (auto streams = component_ ? component_->take_stdio() : std::nullopt)
            made = net::over_pipes(loop_, std::move(streams->from), std::move(streams->to));
        fault = "stdio needs a component that Treaty starts, and serves one role and one session";
    } else if (at->kind == AddressKind::pty) {
        auto line = terminal_ && component_
                        ? net::over_terminal(loop_, *terminal_, at->baud)
                        : base::Fault{"a pseudo-terminal needs a component that Treaty starts (--run)"};
        if (line) made = std::move(*line);
        if (!line) fault = line.error();
    } else if (at->listen) {
        fault = "it does not connect";
        tell_waiting(role, "nobody has connected yet");
        // Short waits, so that a component that ends is noticed.
        while (!made && !hopeless() && now() < deadline)
            made = net::await_caller(listeners_.at(role), std::min(deadline, now() + milliseconds(20)));
    } else {
        auto to = net::Destination::make(*at);
        // Short waits first: most servers are ready within some milliseconds.
        for (auto step = std::chrono::microseconds(500);;
             step = std::min(step * 2, std::chrono::microseconds(50'000))) {
            auto reached = to ? (*to)->reach(loop_) : base::Fault{to.error()};
            if (reached) {
                made = std::move(*reached);
                break;
            }
            fault = reached.error();
            if (hopeless() || now() >= deadline) break;
            tell_waiting(role, fault);
            base::pause_until(std::min(deadline, now() + step));
            if (!to) to = net::Destination::make(*at);
        }
    }
    // What has to be opened by an exchange of its own is spoken through only then.
    while (made && made->opening() && !hopeless() && now() < deadline) {
        Transport* one = made.get();
        wait({&one, 1}, std::min(deadline, now() + milliseconds(20)));
        made->flush();
        made->receive();  // nothing comes before it is open
    }
    if (made && (made->opening() || !made->fault().empty())) {
        fault = made->fault().empty() ? "it does not answer" : made->fault();
        made.reset();
    }
    if (!made && ending().ended) fault = "it has already ended";
    if (!made) return base::Fault{fmt::format("{}: {}", expand(options_.via.at(role), placeholders_), fault)};
    reached_.insert(role);
    return made;
}

// One that listens takes connections as long as it is there. A connection that is open shows that somebody
// is, whether or not another one is taken.
std::optional<std::string> ProcessStage::gone(bool closed) {
    if (!options_.command.empty()) return std::nullopt;
    for (const auto& [role, text] : options_.via) {
        auto at = address(role);
        bool can_be_told =
            at && !at->listen && at->kind != AddressKind::stdio && at->kind != AddressKind::pty;
        if (!can_be_told || (!closed && at->kind != AddressKind::udp)) continue;
        auto reached = net::reach(loop_, *at);
        if (reached && closed) {
            // A program that ends closes its connections a moment before the socket that it listens on.
            constexpr std::chrono::milliseconds moment{100};
            for (Time until = now() + moment; now() < until;) loop_.wait(until);
            reached = net::reach(loop_, *at);
        }
        if (!reached) return fmt::format("{}: {}", expand(text, placeholders_), reached.error());
    }
    return std::nullopt;
}

void ProcessStage::wait(std::span<Transport* const> transports, Time until) {
    for (Transport* one : transports) one->await_events();
    // What has ended would wake us up again and again.
    if (component_ && component_->error_descriptor() < 0) errors_.reset();
    if (component_ && component_->status_descriptor() < 0) status_.reset();
    if (errors_) errors_->await_events();
    if (status_) status_->await_events();
    loop_.wait(until);
    for (Transport* one : transports)
        if (one->pending()) one->flush();
    bool said = errors_ && errors_->happened(), ended = status_ && status_->happened();
    if (said || ended) look();
}

void ProcessStage::end(Time until) {
    if (!component_) return;
    if (options_.keep) {
        look();
        end_reported_ = ending().ended;
        return;
    }
    component_->await_end(until);
    component_->stop();
    companions_.stop();
}

}  // namespace

std::unique_ptr<Stage> make_process_stage(ProgramOptions options) {
    return std::make_unique<ProcessStage>(std::move(options));
}

}  // namespace treaty::drive
