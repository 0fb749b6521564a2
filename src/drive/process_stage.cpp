#include "drive/process_stage.h"

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/wait.h"
#include "net/open.h"
#include "net/port.h"
#include "net/stream.h"
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
    bool ends_with_session() const override { return ends_with_session_; }

private:
    base::Result<void> start();
    base::Result<void> reset();
    bool hopeless();
    void tell_waiting(RoleId role, const std::string& why) {
        if (auto tell = std::exchange(options_.waiting, nullptr))
            tell(fmt::format("{} ({})", expand(options_.via.at(role), placeholders_), why));
    }
    std::optional<Address> address(RoleId role, std::string& fault) const {
        return net::parse_address(expand(options_.via.at(role), placeholders_), fault);
    }

    ProgramOptions options_;
    std::unique_ptr<Component> component_;
    std::unique_ptr<Folder> folder_;
    std::optional<net::ClaimedPort> port_;  // as long as the component may listen there
    std::map<std::string, std::string> placeholders_;
    std::map<RoleId, net::Listener> listeners_;
    base::WaitSet waiting_;  // kept for its memory
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
    if (!fresh_) return reset();
    component_.reset();
    listeners_.clear();
    folder_ = std::make_unique<Folder>();
    auto started = start();
    begun_ = started.has_value();
    return begun_ ? reset() : started;
}

base::Result<void> ProcessStage::start() {
    std::string fault;
    port_.emplace();
    placeholders_ = {{"port", std::to_string(port_->number())}, {"tmp", folder_->path()}};
    bool stdio = false;
    end_reported_ = false;
    // One that listens waits for the next caller.
    ends_with_session_ = !options_.command.empty() && !options_.keep;
    for (const auto& [role, text] : options_.via) {
        auto at = address(role, fault);
        if (!at) return base::Fault{fault};
        stdio = stdio || at->kind == AddressKind::stdio;
        ends_with_session_ = ends_with_session_ && (at->listen || at->kind == AddressKind::stdio);
        if (!at->listen) continue;
        auto listener = net::listen_on(*at, fault);
        if (!listener) return base::Fault{fault};
        listeners_[role] = std::move(*listener);
    }
    if (options_.command.empty()) return {};
    component_ = Component::start(expand(options_.command, placeholders_), stdio, folder_->path(), fault);
    if (!component_) return base::Fault{fault};
    return {};
}

base::Result<void> ProcessStage::reset() {
    if (options_.reset.empty()) return {};
    std::string fault;
    auto command = Component::start(expand(options_.reset, placeholders_), false, {}, fault);
    if (!command) return base::Fault{fault};
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
    std::string fault;
    auto at = address(role, fault);
    if (!at) return base::Fault{fault};
    std::unique_ptr<Transport> made;
    if (at->kind == AddressKind::stdio) {
        if (auto streams = component_ ? component_->take_stdio() : std::nullopt)
            made = std::make_unique<net::Stream>(std::move(streams->from), std::move(streams->to));
        fault = "stdio needs a component that Treaty starts, and serves one role and one session";
    } else if (at->listen) {
        fault = "it does not connect";
        tell_waiting(role, "nobody has connected yet");
        // Short waits, so that a component that ends is noticed.
        while (!made && !hopeless() && now() < deadline)
            made = net::await_caller(*at, listeners_[role], std::min(deadline, now() + milliseconds(20)));
    } else {
        // Short waits first: most servers are ready within some milliseconds.
        for (auto step = std::chrono::microseconds(500); !(made = net::reach(*at, fault));
             step = std::min(step * 2, std::chrono::microseconds(50'000))) {
            if (hopeless() || now() >= deadline) break;
            tell_waiting(role, fault);
            base::pause_until(std::min(deadline, now() + step));
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
    return made;
}

// One that listens takes connections as long as it is there. A connection that is open shows that somebody
// is, whether or not another one is taken.
std::optional<std::string> ProcessStage::gone(bool closed) {
    if (!options_.command.empty()) return std::nullopt;
    std::string why;
    for (const auto& [role, text] : options_.via) {
        auto at = address(role, why);
        bool can_be_told = at && !at->listen && at->kind != AddressKind::stdio;
        if (!can_be_told || (!closed && at->kind != AddressKind::udp) || net::reach(*at, why)) continue;
        return fmt::format("{}: {}", expand(text, placeholders_), why);
    }
    return std::nullopt;
}

void ProcessStage::wait(std::span<Transport* const> transports, Time until) {
    waiting_.clear();
    net::add_to(waiting_, transports);
    std::size_t own = waiting_.size();
    if (component_)
        for (int fd : {component_->error_descriptor(), component_->status_descriptor()})
            waiting_.add(fd, true);
    waiting_.wait(until);
    for (Transport* t : transports)
        if (t->pending()) t->flush();
    for (std::size_t i = own; i < waiting_.size(); ++i)
        if (waiting_.happened(i)) return look();
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
}

}  // namespace

std::unique_ptr<Stage> make_process_stage(ProgramOptions options) {
    return std::make_unique<ProcessStage>(std::move(options));
}

}  // namespace treaty::drive
