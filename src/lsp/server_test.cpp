#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "api/diagnose.h"
#include "lsp/convert.h"
#include "lsp/testing_client.h"
#include "lsp/text.h"

namespace treaty::lsp {
namespace {

constexpr const char* uri = "file:///shop.treaty";

bool is_about(const Json& message, const std::string& which, std::int64_t version) {
    return message.value("method", "") == "textDocument/publishDiagnostics" &&
           message["params"]["uri"] == which && message["params"].value("version", -1) == version;
}

TEST(Server, RequestsNeedInitialization) {
    TestingClient client;
    EXPECT_EQ(client.ask("textDocument/formatting", Json::object())["error"]["code"], -32002);
    client.begin();
    EXPECT_EQ(client.ask("no/such", Json::object())["error"]["code"], -32601);
    EXPECT_EQ(client.ask("initialize", Json::object())["error"]["code"], -32600);
    EXPECT_EQ(client.ask("textDocument/formatting", {{"textDocument", 3}})["error"]["code"], -32803);
    EXPECT_EQ(client.ask("textDocument/formatting", {{"textDocument", Json::object()}})["error"]["code"],
              -32602);
    EXPECT_TRUE(client.end());
}

TEST(Server, MalformedMessagesAreAnsweredAndTheServerLives) {
    TestingClient client;
    client.begin();
    auto refused = [&](int code) {
        Json answer = client.wait([](const Json& m) { return m.contains("id") && m["id"].is_null(); });
        EXPECT_EQ(answer["error"]["code"], code);
    };
    client.send_bytes("Content-Type: x\r\n\r\n");
    refused(-32700);
    client.send_bytes("Content-Length: 2\r\n\r\n{]");
    refused(-32700);
    client.send({{"id", Json::array()}, {"method", "x"}});
    refused(-32600);
    client.send({{"method", 3}});
    refused(-32600);
    client.notify("textDocument/didChange", {{"textDocument", 3}});
    client.notify("textDocument/didOpen", Json::array());
    client.notify("$/unknown", Json::object());
    client.notify("$/cancelRequest", {{"id", 999}});
    EXPECT_TRUE(client.end());
}

TEST(Server, DiagnosticsAreThoseOfCheck) {
    TestingClient client;
    client.begin();
    client.open(uri, "protocol P(a, b) {\n  a -> c: x\n}\n");
    Json found = client.wait([](const Json& m) { return is_about(m, uri, 1); })["params"]["diagnostics"];
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0]["code"], "T0202");
    EXPECT_EQ(found[0]["range"]["start"], Json({{"line", 1}, {"character", 7}}));
    EXPECT_EQ(found[0]["severity"], 1);
    client.notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
    Json gone = client.wait([](const Json& m) {
        return m.value("method", "") == "textDocument/publishDiagnostics" && !m["params"].contains("version");
    });
    EXPECT_TRUE(gone["params"]["diagnostics"].empty());
    EXPECT_TRUE(client.end());
}

TEST(Server, AnEditOfAnImportedFileIsSeenInTheOther) {
    TestingClient client;
    client.begin();
    client.open("file:///parts.treaty", "message pay(amount: int)\n");
    client.open(uri, "import \"parts.treaty\"\nprotocol P(a, b) {\n  a -> b: pay(1)\n}\n");
    auto count = [&](std::size_t wanted) {
        client.wait([&](const Json& m) {
            return is_about(m, uri, 1) && m["params"]["diagnostics"].size() == wanted;
        });
    };
    count(0);
    client.notify("textDocument/didChange",
                  {{"textDocument", {{"uri", "file:///parts.treaty"}, {"version", 2}}},
                   {"contentChanges", Json::array({{{"text", "message pay(amount: string)\n"}}})}});
    count(1);
    EXPECT_TRUE(client.end());
}

// Random edits of a document, in any order, with requests and cancellations between them: the diagnostics of
// a version never come after those of a later one, and after the last edit they are those of the final text.
class RandomSession {
public:
    explicit RandomSession(std::uint32_t seed) : random_(seed), text_(std::make_unique<Text>(begin_text)) {}

    void run(int edits) {
        client_.begin();
        client_.seen = [this](const Json& message) { see(message); };
        client_.open(uri, text_->all());
        for (int i = 0; i < edits; ++i) {
            edit();
            if (random_() % 4 == 0) ask();
        }
        Json expected = exact();
        client_.wait([&](const Json& m) {
            return is_about(m, uri, version_) && m["params"]["diagnostics"] == expected;
        });
        // Every request is answered, whatever became of it.
        if (answered_ < asked_) client_.wait([this](const Json&) { return answered_ == asked_; });
        EXPECT_TRUE(client_.end());
    }

private:
    static constexpr const char* begin_text =
        "message pay(amount: int in 0..9)\n\nprotocol Shop(buyer, seller) {\n  buyer -> seller: order\n"
        "  choice at seller {\n    seller -> buyer: pay(let x)\n    buyer -> seller: ok\n  } or {\n"
        "    seller -> buyer: no\n  }\n}\n";

    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

    void edit() {
        static const std::vector<std::string> pieces{"x",
                                                     "\n",
                                                     " ",
                                                     "}",
                                                     "{",
                                                     "buyer",
                                                     "seller",
                                                     "-> ",
                                                     ": ",
                                                     "é",
                                                     "😀",
                                                     "\"",
                                                     "// ",
                                                     "",
                                                     "",
                                                     "choice at buyer {\n",
                                                     "seller -> buyer: pay(1)\n"};
        Position a = text_->position(below(text_->all().size() + 1));
        Position b = text_->position(text_->offset(a) + below(4));
        std::string by = pieces[below(pieces.size())];
        // Now and then back to a text that is mostly right, so that exact checks take place too.
        Json change{{"text", by}};
        if (below(10) == 0) {
            text_ = std::make_unique<Text>(begin_text);
            change["text"] = begin_text;
        } else {
            text_ = std::make_unique<Text>(text_->replaced(a, b, by));
            change["range"] = {{"start", to_json(a)}, {"end", to_json(b)}};
        }
        client_.notify("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", ++version_}}},
                                                  {"contentChanges", Json::array({change})}});
    }

    void ask() {
        ++asked_;
        int id = client_.request("textDocument/formatting", {{"textDocument", {{"uri", uri}}}});
        if (below(2) == 0) client_.notify("$/cancelRequest", {{"id", id}});
    }

    void see(const Json& message) {
        if (message.value("method", "") == "textDocument/publishDiagnostics") {
            auto version = message["params"]["version"].get<std::int64_t>();
            EXPECT_GE(version, shown_);
            shown_ = version;
        }
        if (message.contains("id") && message.value("id", 0) > 1 && message["id"] != asked_ + 2) ++answered_;
    }

    Json exact() const {
        api::Workspace workspace;
        workspace.set_overlay("/shop.treaty", text_->all());
        api::DiagnoseAnswer answer = api::diagnose(workspace, {"/shop.treaty", true}, {});
        return to_json(answer.shown, workspace.sources(), "/shop.treaty");
    }

    std::mt19937 random_;
    std::unique_ptr<Text> text_;
    TestingClient client_;
    std::int64_t version_ = 1, shown_ = 0;
    int asked_ = 0, answered_ = 0;
};

TEST(Server, AfterRandomEditsTheDiagnosticsAreThoseOfTheFinalText) {
    const char* scale = std::getenv("TREATY_TEST_SCALE");
    int factor = scale ? std::max(1, std::atoi(scale)) : 1;
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        RandomSession(seed).run(300 * factor);
    }
}

}  // namespace
}  // namespace treaty::lsp
