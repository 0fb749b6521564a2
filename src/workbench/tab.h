// One tab of a browser: what it asks over its socket, what is under way for it, and how it is stopped.
//
// A message of the tab is {"id": 7, "method": "ask", "params": {...}} or {"cancel": 7}. It is answered by any
// number of
// {"id": 7, "progress": {...}} and one {"id": 7, "result": ...} or {"id": 7, "error": "..."}. Answers come in
// any order. All functions are called by the thread of the loop; work is done by the threads of the Bench,
// which post what they find. When the tab is closed everything that it asked for is asked to stop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/context.h"
#include "api/workspace.h"
#include "lsp/workers.h"
#include "net/server.h"
#include "workbench/folder.h"
#include "workbench/json.h"
#include "workbench/serve.h"

namespace treaty::workbench {

// What all tabs share.
struct Bench {
    const ServeOptions& options;
    const Folder& folder;
    net::Loop loop;
    // Questions may take long, so those of several tabs run side by side; pictures and walks have threads of
    // their own, which no question holds up.
    lsp::Workers questions{12};
    lsp::Workers quick{3};
};

// A request being answered, as its handler sees it. It outlives the tab.
class Task {
public:
    Task(Bench& bench, std::weak_ptr<net::Channel> channel, Json id);

    Bench& bench;
    Json params;
    base::StopSource stop;
    bool long_work = false;
    // Called by the thread of the loop before the result or the error is sent: its receiver may ask
    // again at once.
    std::function<void()> over = [] {};

    api::Context context() const;  // stopped with the tab; with the limits of a visitor and progress
    // The folder's files, with the texts that the request brings instead of those on the disk.
    std::unique_ptr<api::Workspace> workspace() const;

    void progress(Json what) const;
    void result(Json what) const;
    void error(const std::string& text) const;

private:
    void send(
        const Json& message, std::function<void()> first = [] {}) const;

    std::weak_ptr<net::Channel> channel_;
    Json id_;
    std::shared_ptr<std::chrono::steady_clock::time_point> next_progress_;
};

// Why a request has no result, in one line for the person who asked.
struct RequestFault {
    std::string text;
};

class Walks;

class Tab {
public:
    Tab(Bench& bench, std::shared_ptr<net::Channel> channel);
    ~Tab();  // asks everything to stop

    void receive(std::string_view message);

private:
    void request(const Json& message);

    Bench& bench_;
    std::weak_ptr<net::Channel> channel_;
    std::shared_ptr<std::map<std::string, std::shared_ptr<Task>>> tasks_;  // under way, by the text of the id
    std::shared_ptr<Walks> walks_;
};

}  // namespace treaty::workbench
