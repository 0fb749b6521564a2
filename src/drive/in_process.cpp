#include "drive/in_process.h"

#include <algorithm>

namespace treaty::drive {

std::optional<std::string> InProcess::Receive::await_resume() {
    if (channel.to_component.empty()) return std::nullopt;
    std::string piece = std::move(channel.to_component.front());
    channel.to_component.pop_front();
    return piece;
}

std::optional<std::pair<std::string, std::string>> InProcess::ReceiveAny::await_resume() {
    for (auto& [role, channel] : here.channels_) {
        if (channel.to_component.empty()) continue;
        std::pair<std::string, std::string> result{role, std::move(channel.to_component.front())};
        channel.to_component.pop_front();
        return result;
    }
    return std::nullopt;
}

bool InProcess::any_can_come() const {
    bool all_finished = true;
    for (const auto& [role, channel] : channels_) {
        if (!channel.to_component.empty()) return true;
        all_finished = all_finished && channel.tester_finished;
    }
    return all_finished;
}

bool InProcess::can_run() const {
    if (wakes_at_) return *wakes_at_ <= now_;
    if (waits_for_any_) return any_can_come();
    return !waits_for_ || !waits_for_->to_component.empty() || waits_for_->tester_finished;
}

void InProcess::run(std::coroutine_handle<Task::promise_type> handle) {
    wakes_at_.reset();
    waits_for_ = nullptr;
    waits_for_any_ = false;
    handle.resume();
}

namespace {

// The tester's end of a channel.
class InProcessTransport final : public Transport {
public:
    explicit InProcessTransport(InProcess::Channel& channel) : channel_(channel) {}

    bool send(std::string_view bytes) override {
        if (channel_.component_closed) return false;
        channel_.to_component.emplace_back(bytes);
        return true;
    }
    std::optional<std::string_view> receive() override {
        if (channel_.to_tester.empty()) {
            closed_ = channel_.component_closed;
            return std::nullopt;
        }
        last_ = std::move(channel_.to_tester.front());
        channel_.to_tester.pop_front();
        return last_;
    }
    void finish() override { channel_.tester_finished = true; }
    bool closed() const override { return closed_; }
    bool flush() override { return !channel_.component_closed; }
    std::size_t unsent() const override { return 0; }
    void await_events(Await) override {}  // there is nothing outside to wait for

private:
    InProcess::Channel& channel_;
    std::string last_;
    bool closed_ = false;
};

}  // namespace

class InProcessStage final : public Stage {
public:
    InProcessStage(InProcess::Program program, std::map<model::RoleId, std::string> names)
        : program_(std::move(program)), names_(std::move(names)) {}

    base::Result<void> begin() override {
        task_.reset();
        here_ = std::make_unique<InProcess>();
        here_->now_ = now_;
        ending_ = {};
        errors_.clear();
        task_ = std::make_unique<Task>(program_(*here_));
        return {};
    }

    base::Result<std::unique_ptr<Transport>> open(model::RoleId role, Time) override {
        return {std::make_unique<InProcessTransport>(here_->channels_[names_.at(role)])};
    }

    void wait(std::span<Transport* const>, Time until) override {
        std::size_t steps = 0;
        while (!something_came()) {
            // A component that runs without ever waiting must not stop the clock.
            if (!ending_.ended && here_->can_run() && ++steps <= most_steps) {
                run();
                if (ending_.ended) return;
                continue;
            }
            Time next = here_->wakes_at_ && !ending_.ended ? std::min(until, *here_->wakes_at_) : until;
            now_ = std::max(now_, steps > most_steps ? until : next);
            here_->now_ = now_;
            if (now_ >= until) return;
        }
    }

    Time now() const override { return now_; }
    const Ending& ending() const override { return ending_; }
    const std::string& errors() const override { return errors_; }
    void look() override {}
    bool ends_with_session() const override { return true; }  // waiting for it takes no time
    void end(Time until) override {
        wait({}, until);
        task_.reset();
    }

private:
    static constexpr std::size_t most_steps = 100'000;

    bool something_came() const {
        return std::any_of(here_->channels_.begin(), here_->channels_.end(),
                           [](const auto& one) { return !one.second.to_tester.empty(); });
    }

    void run() {
        auto handle = task_->handle();
        here_->run(handle);
        if (!handle.done()) return;
        ending_.ended = true;
        for (auto& [name, channel] : here_->channels_) channel.component_closed = true;
        if (!handle.promise().thrown) return;
        ending_.status = 1;
        try {
            std::rethrow_exception(handle.promise().thrown);
        } catch (const std::exception& thrown) {
            errors_ = std::string("Unhandled exception: ") + thrown.what() + '\n';
        } catch (...) {
            errors_ = "Unhandled exception\n";
        }
    }

    InProcess::Program program_;
    std::map<model::RoleId, std::string> names_;
    std::unique_ptr<InProcess> here_;
    std::unique_ptr<Task> task_;
    Ending ending_;
    std::string errors_;
    Time now_{};
};

std::unique_ptr<Stage> make_in_process_stage(InProcess::Program program,
                                             std::map<model::RoleId, std::string> names) {
    return std::make_unique<InProcessStage>(std::move(program), std::move(names));
}

}  // namespace treaty::drive
