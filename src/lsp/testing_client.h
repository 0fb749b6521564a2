// A client for tests: a server in a thread of its own, connected by two pipes.
#pragma once

#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/descriptor.h"
#include "base/wait.h"
#include "lsp/message_reader.h"
#include "lsp/serve.h"

namespace treaty::lsp {

class TestingClient {
public:
    explicit TestingClient(std::chrono::milliseconds pause = std::chrono::milliseconds(1)) {
        std::array<int, 2> down, up;
        EXPECT_EQ(::pipe(down.data()), 0);
        EXPECT_EQ(::pipe(up.data()), 0);
        to_ = base::Descriptor(down[1]);
        from_ = base::Descriptor(up[0]);
        server_ = std::thread([this, in = down[0], out = up[1], pause] {
            base::Descriptor input(in), output(out);
            ServeOptions options;
            options.pause = pause;
            in_order_ = serve(in, out, options);
        });
    }
    ~TestingClient() {
        to_.reset();
        server_.join();
    }

    void send_bytes(std::string_view bytes) {
        while (!bytes.empty()) {
            ssize_t count = ::write(to_.get(), bytes.data(), bytes.size());
            ASSERT_GT(count, 0);
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
    }
    void send(const Json& message) {
        std::string content = message.dump();
        send_bytes(fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content));
    }
    void notify(const std::string& method, Json params) {
        send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
    }
    int request(const std::string& method, Json params) {
        send({{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", std::move(params)}});
        return last_id_;
    }
    // The next message that fits; what comes before it is passed to `seen`, if there is one.
    Json wait(const std::function<bool(const Json&)>& fits) {
        auto until = base::Clock::now() + std::chrono::seconds(60);
        while (base::Clock::now() < until) {
            while (auto incoming = reader_.next()) {
                if (seen) seen(incoming->message);
                if (fits(incoming->message)) return incoming->message;
            }
            if (!base::wait_readable(from_.get(), until)) break;
            std::array<char, 1 << 16> bytes;
            ssize_t count = ::read(from_.get(), bytes.data(), bytes.size());
            if (count <= 0) break;
            reader_.feed({bytes.data(), static_cast<std::size_t>(count)});
        }
        ADD_FAILURE() << "no such message came";
        return Json::object();
    }
    Json answer(int id) {
        return wait([id](const Json& message) { return message.contains("id") && message["id"] == id; });
    }
    Json ask(const std::string& method, Json params) { return answer(request(method, std::move(params))); }

    void begin() {
        ask("initialize", {{"capabilities", Json::object()}});
        notify("initialized", Json::object());
    }
    void open(const std::string& uri, const std::string& text) {
        notify("textDocument/didOpen",
               {{"textDocument", {{"uri", uri}, {"languageId", "treaty"}, {"version", 1}, {"text", text}}}});
    }
    // Whether the server ended in order.
    bool end() {
        ask("shutdown", nullptr);
        notify("exit", nullptr);
        to_.reset();
        server_.join();
        server_ = std::thread([] {});
        return in_order_;
    }

    std::function<void(const Json&)> seen;

private:
    base::Descriptor to_, from_;
    std::thread server_;
    bool in_order_ = false;
    MessageReader reader_;
    int last_id_ = 0;
};

}  // namespace treaty::lsp
