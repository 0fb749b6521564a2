#include "lsp/server.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include <fmt/format.h>

#include "api/editor/diagnose.h"
#include "base/wait.h"
#include "lsp/convert.h"
#include "lsp/uri.h"

namespace treaty::lsp {
namespace {

constexpr std::chrono::milliseconds at_once{0};
// A client that asks faster than it is answered does not fill the memory.
constexpr std::size_t max_pending = 1000;

// The path of the document that a request is about.
std::string path_in(const Json& params) {
    auto document = params.find("textDocument");
    if (document == params.end() || !document->is_object()) return {};
    return path_of(document->at("uri").get<std::string>());
}

// Commands may take long, so they have a thread of their own.
bool takes_long(const std::string& method) {
    return method == "workspace/executeCommand";
}

std::shared_ptr<const Text> edited(const Text& text, const Json& change) {
    std::string by = change.at("text").get<std::string>();
    if (!change.contains("range")) return std::make_shared<const Text>(std::move(by));
    const Json& range = change.at("range");
    return std::make_shared<const Text>(
        text.replaced(to_position(range.at("start")), to_position(range.at("end")), by));
}

}  // namespace

Server::Server(Output::Write out, const ServeOptions& options)
    : options_(options),
      workspace_(options.read),
      output_(std::move(out)),
      checks_(1),
      commands_(1),
      requests_(2) {}

Server::~Server() {
    std::lock_guard lock(mutex_);
    for (auto& [path, document] : documents_) document.checking.request();
    for (auto& [id, pending] : pending_) pending.stop.request();
}

void Server::send_result(const Json& id, Json result) {
    output_.send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void Server::send_error(const Json& id, int code, const std::string& text) {
    output_.send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}});
}

void Server::log(const std::string& text) {
    constexpr int warning = 2;
    output_.send({{"jsonrpc", "2.0"},
                  {"method", "window/logMessage"},
                  {"params", {{"type", warning}, {"message", text}}}});
}

void Server::receive(const Incoming& incoming) {
    if (incoming.fault != 0) return send_error(nullptr, incoming.fault, incoming.text);
    receive(incoming.message);
}

void Server::receive(const Json& message) {
    auto method = message.find("method");
    auto id = message.find("id");
    bool has_id = id != message.end();
    if (has_id && !id->is_string() && !id->is_number_integer())
        return send_error(nullptr, invalid_request, "an id is a number or a string");
    if (method == message.end()) {
        if (message.contains("result") || message.contains("error"))
            return;  // nothing is asked of the client
        return send_error(has_id ? *id : Json(), invalid_request, "a message without a method");
    }
    if (!method->is_string())
        return send_error(has_id ? *id : Json(), invalid_request, "a method is a string");
    auto params = message.find("params");
    Json none = Json::object();
    const Json& given = params != message.end() && params->is_structured() ? *params : none;
    if (has_id) return request(*id, *method, given);
    try {
        notification(*method, given);
    } catch (const Json::exception& fault) {
        log(fmt::format("{}: {}", method->get<std::string>(), fault.what()));
    }
}

void Server::request(const Json& id, const std::string& method, const Json& params) {
    if (shut_down_) return send_error(id, invalid_request, "the server has been shut down");
    if (method == "initialize") {
        if (initialized_) return send_error(id, invalid_request, "the server is initialized already");
        try {
            return send_result(id, initialize(params));
        } catch (const Json::exception& fault) {
            return send_error(id, invalid_params, fault.what());
        }
    }
    if (!initialized_) return send_error(id, not_initialized, "the server is not initialized");
    if (method == "shutdown") {
        shut_down_ = true;
        return send_result(id, nullptr);
    }
    if (!find_handler(method))
        return send_error(id, method_not_found, fmt::format("unknown method {}", method));
    start(id, method, params);
}

void Server::start(const Json& id, const std::string& method, Json params) {
    std::string key = id.dump();
    {
        std::lock_guard lock(mutex_);
        Pending pending;
        try {
            pending.path = path_in(params);
        } catch (const Json::exception& fault) {
            return send_error(id, invalid_params, fault.what());
        }
        if (pending_.size() >= max_pending)
            return send_error(id, request_failed, "too many requests are under way");
        if (!pending_.emplace(key, std::move(pending)).second)
            return send_error(id, invalid_request, "a request with this id is under way");
    }
    Workers& workers = takes_long(method) ? commands_ : requests_;
    workers.run([this, id, key, method, params = std::move(params)] { answer(id, key, method, params); });
}

void Server::answer(const Json& id, const std::string& key, const std::string& method, const Json& params) {
    Request request{workspace_, params, {}, {}, nullptr, {}, {}};
    {
        std::lock_guard lock(mutex_);
        Pending& pending = pending_.at(key);
        request.context.deadline = request.context.deadline.with(pending.stop.token());
        request.path = pending.path;
        if (auto document = documents_.find(pending.path); document != documents_.end())
            request.text = document->second.text;
        request.folders = folders_;
        for (const auto& [path, document] : documents_) request.open.push_back(path);
    }
    Json result;
    int fault = 0;
    std::string text;
    if (request.context.deadline.interrupted()) {
        fault = request_cancelled;
    } else {
        try {
            result = (*find_handler(method))(request);
        } catch (const RequestError& error) {
            fault = error.code;
            text = error.what();
        } catch (const Json::exception& error) {
            fault = invalid_params;
            text = error.what();
        }
    }
    std::lock_guard lock(mutex_);
    auto pending = pending_.find(key);
    bool modified = pending->second.modified;
    bool cancelled = pending->second.stop.requested();
    pending_.erase(pending);
    if (modified) return send_error(id, content_modified, "the document has changed");
    if (cancelled) return send_error(id, request_cancelled, "cancelled");
    if (fault != 0) return send_error(id, fault, text);
    send_result(id, std::move(result));
}

Json Server::initialize(const Json& params) {
    std::vector<std::string> folders;
    if (auto given = params.find("workspaceFolders"); given != params.end() && given->is_array())
        for (const Json& folder : *given) folders.push_back(path_of(folder.at("uri").get<std::string>()));
    else if (auto root = params.find("rootUri"); root != params.end() && root->is_string())
        folders.push_back(path_of(root->get<std::string>()));
    std::lock_guard lock(mutex_);
    folders_ = std::move(folders);
    initialized_ = true;
    return {{"capabilities", capabilities()}, {"serverInfo", {{"name", "treaty"}}}};
}

void Server::notification(const std::string& method, const Json& params) {
    if (method == "exit") {
        exited_ = true;
        return;
    }
    if (!initialized_ || shut_down_) return;
    if (method == "textDocument/didOpen") return opened(params);
    if (method == "textDocument/didChange") return changed(params);
    if (method == "textDocument/didClose") return closed(params);
    if (method == "textDocument/didSave") return saved(params);
    if (method == "workspace/didChangeWatchedFiles") return files_changed(params);
    if (method == "workspace/didChangeWorkspaceFolders") return folders_changed(params);
    if (method == "$/cancelRequest") return cancel(params);
}

void Server::opened(const Json& params) {
    const Json& given = params.at("textDocument");
    std::string uri = given.at("uri").get<std::string>();
    std::string path = path_of(uri);
    OpenDocument document;
    document.uri = uri;
    document.version = given.value("version", std::int64_t{0});
    document.text = std::make_shared<const Text>(given.at("text").get<std::string>());
    {
        std::lock_guard lock(mutex_);
        if (auto old = documents_.find(path); old != documents_.end()) old->second.checking.request();
        workspace_.set_overlay(path, document.text->all());
        documents_[path] = std::move(document);
    }
    text_changed(path);
}

void Server::changed(const Json& params) {
    const Json& given = params.at("textDocument");
    std::string path = path_of(given.at("uri").get<std::string>());
    {
        std::lock_guard lock(mutex_);
        auto place = documents_.find(path);
        if (place == documents_.end()) return log(fmt::format("{} is not open", path));
        OpenDocument& document = place->second;
        std::shared_ptr<const Text> text = document.text;
        for (const Json& change : params.at("contentChanges")) text = edited(*text, change);
        document.text = text;
        document.version = given.value("version", document.version + 1);
        workspace_.set_overlay(path, text->all());
    }
    text_changed(path);
}

void Server::closed(const Json& params) {
    std::string uri = params.at("textDocument").at("uri").get<std::string>();
    std::string path = path_of(uri);
    {
        std::lock_guard lock(mutex_);
        auto place = documents_.find(path);
        if (place == documents_.end()) return;
        place->second.checking.request();
        documents_.erase(place);
        workspace_.drop_overlay(path);
        output_.send({{"jsonrpc", "2.0"},
                      {"method", "textDocument/publishDiagnostics"},
                      {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
    }
    text_changed(path);
}

// What is on the disk now is what was open, but files that are not open may have been written with it.
void Server::saved(const Json& params) {
    text_changed(path_of(params.at("textDocument").at("uri").get<std::string>()));
}

void Server::files_changed(const Json& params) {
    for (const Json& change : params.at("changes"))
        text_changed(path_of(change.at("uri").get<std::string>()));
}

void Server::folders_changed(const Json& params) {
    const Json& event = params.at("event");
    std::lock_guard lock(mutex_);
    for (const Json& folder : event.at("removed"))
        std::erase(folders_, path_of(folder.at("uri").get<std::string>()));
    for (const Json& folder : event.at("added"))
        folders_.push_back(path_of(folder.at("uri").get<std::string>()));
}

void Server::cancel(const Json& params) {
    std::lock_guard lock(mutex_);
    if (auto pending = pending_.find(params.at("id").dump()); pending != pending_.end())
        pending->second.stop.request();
}

void Server::text_changed(const std::string& path) {
    std::lock_guard lock(mutex_);
    for (auto& [id, pending] : pending_) {
        if (pending.path != path) continue;
        pending.modified = true;
        pending.stop.request();
    }
    for (auto& [other, document] : documents_) {
        bool itself = other == path;
        if (!itself && document.reads && !document.reads->contains(path)) continue;
        if (api::is_diagnosed(other)) touch(other, document, itself);
    }
}

void Server::touch(const std::string& path, OpenDocument& document, bool itself) {
    document.checking.request();
    document.checking = base::StopSource();
    std::uint64_t generation = document.generation = ++generations_;
    document.reads.reset();
    document.checked = false;
    base::StopToken stop = document.checking.token();
    auto diagnosing = [this, path, generation, stop](bool exact) {
        return [=, this] { diagnose(path, generation, exact, stop); };
    };
    if (itself) requests_.run(diagnosing(false), at_once);
    checks_.run(diagnosing(true), options_.pause);
}

void Server::diagnose(const std::string& path, std::uint64_t generation, bool exact, base::StopToken stop) {
    if (stop.requested()) return;
    api::Context context;
    context.deadline = context.deadline.with(stop);
    // A workspace of its own where this one would keep every version of the text.
    api::Workspace once([this](const std::string& name) { return workspace_.read(name); });
    const api::Workspace& files = api::adds_texts(path) ? once : workspace_;
    api::DiagnoseAnswer found = api::diagnose(files, {path, exact}, context);
    Json diagnostics = to_json(found.shown, files.sources(), path);
    std::lock_guard lock(mutex_);
    auto place = documents_.find(path);
    if (place == documents_.end() || place->second.generation != generation) return;
    // What was interrupted is not a result, and the quick answer adds nothing to the exact one.
    if (stop.requested() || place->second.checked) return;
    place->second.checked = exact;
    place->second.reads = std::move(found.read);
    output_.send({{"jsonrpc", "2.0"},
                  {"method", "textDocument/publishDiagnostics"},
                  {"params",
                   {{"uri", place->second.uri},
                    {"version", place->second.version},
                    {"diagnostics", std::move(diagnostics)}}}});
}

bool serve(int in, int out, const ServeOptions& options) {
    Server server(framed_to(out), options);
    MessageReader reader;
    std::array<char, 1 << 16> bytes;
    while (!server.exited() && !server.broken()) {
        if (options.stop.requested()) return false;
        if (!base::wait_readable(in, base::Clock::now() + std::chrono::milliseconds(200))) continue;
        ssize_t count = ::read(in, bytes.data(), bytes.size());
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count <= 0) return false;
        reader.feed({bytes.data(), static_cast<std::size_t>(count)});
        while (!server.exited()) {
            std::optional<Incoming> incoming = reader.next();
            if (!incoming) break;
            server.receive(*incoming);
        }
    }
    return server.exited() && server.shut_down();
}

}  // namespace treaty::lsp
