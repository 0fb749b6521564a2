// The state of a server: open documents, requests under way, what is scheduled. Internal to lsp/.
//
// All members are guarded by mutex_, which is never held while a question is answered. A document's
// generation grows with every change that may change its diagnostics, in it or in a file that it imports;
// what was found for an earlier generation is not published.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "api/context.h"
#include "api/workspace.h"
#include "lsp/json.h"
#include "lsp/message_reader.h"
#include "lsp/output.h"
#include "lsp/serve.h"
#include "lsp/text.h"
#include "lsp/workers.h"

namespace treaty::lsp {

constexpr int method_not_found = -32601;
constexpr int invalid_params = -32602;
constexpr int internal_error = -32603;
constexpr int not_initialized = -32002;
constexpr int request_failed = -32803;
constexpr int request_cancelled = -32800;
constexpr int content_modified = -32801;

// Why a request has no result.
struct RequestError : std::runtime_error {
    RequestError(int with_code, const std::string& text) : std::runtime_error(text), code(with_code) {}
    int code;
};

// A request being answered, as its handler sees it.
struct Request {
    const api::Workspace& workspace;
    const Json& params;
    api::Context context;
    std::string path;                  // of the document that it is about; empty: of none
    std::shared_ptr<const Text> text;  // its text when the request came
    std::vector<std::string> folders;  // of the workspace
    std::vector<std::string> open;     // paths of all open documents
};

class Server {
public:
    Server(Output::Write out, const ServeOptions& options);
    ~Server();

    void receive(const Incoming& incoming);
    bool exited() const { return exited_; }
    bool shut_down() const { return shut_down_; }
    bool broken() const { return output_.broken(); }

private:
    void receive(const Json& message);
    struct OpenDocument {
        std::string uri;
        std::int64_t version = 0;
        std::shared_ptr<const Text> text;
        std::uint64_t generation = 0;
        bool checked = false;       // exactly, and published, for this generation
        base::StopSource checking;  // the exact check under way or scheduled
        std::optional<std::set<std::string>>
            reads;  // paths that its diagnostics depend on; none: not known yet
    };
    struct Pending {
        base::StopSource stop;
        std::string path;
        bool modified = false;  // its document has changed since
    };

    void request(const Json& id, const std::string& method, const Json& params);
    void start(const Json& id, const std::string& method, Json params);
    void answer(const Json& id, const std::string& key, const std::string& method, const Json& params);
    Json initialize(const Json& params);
    void notification(const std::string& method, const Json& params);
    void opened(const Json& params);
    void changed(const Json& params);
    void closed(const Json& params);
    void saved(const Json& params);
    void files_changed(const Json& params);
    void cancel(const Json& params);
    void folders_changed(const Json& params);

    // Another text for a path: cancels what is overtaken and diagnoses what depends on it.
    void text_changed(const std::string& path);
    void touch(const std::string& path, OpenDocument& document, bool at_once);
    void diagnose(const std::string& path, std::uint64_t generation, bool exact, base::StopToken stop);

    void send_result(const Json& id, Json result);
    void send_error(const Json& id, int code, const std::string& text);
    void log(const std::string& text);

    const ServeOptions options_;
    api::Workspace workspace_;
    Output output_;
    std::mutex mutex_;
    std::map<std::string, OpenDocument> documents_;  // by path
    std::map<std::string, Pending> pending_;         // by the text of the id
    std::vector<std::string> folders_;
    std::uint64_t generations_ = 0;
    bool initialized_ = false, shut_down_ = false, exited_ = false;
    // Last, so that they end first.
    Workers checks_, commands_, requests_;
};

// What a client can ask for, by method; see features.cpp.
using Handler = std::function<Json(Request&)>;
const Handler* find_handler(const std::string& method);
Json capabilities();

}  // namespace treaty::lsp
