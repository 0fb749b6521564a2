// Known bugs are found and shrunk to their known minimum, whatever the seed: bundled protocols against
// components in this process, twenty seeds each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "campaign/campaign.h"
#include "campaign/shrink_run.h"
#include "drive/in_process.h"
#include "formats/load.h"
#include "lang/read.h"

namespace treaty {
namespace {

using namespace campaign;
using namespace drive;

constexpr std::uint64_t seeds = 20, enough = 19;

// A protocol of a client and a server: a bundled one, or a text.
struct Bundled {
    explicit Bundled(const std::string& path) {
        base::Diagnostics diagnostics;
        if (path.find('\n') != std::string::npos) {
            own = lang::read(sources, sources.add("text.treaty", path), diagnostics);
            if (!own) throw std::runtime_error("the protocol cannot be read");
            use(*own);
            return;
        }
        loaded = formats::load(std::string(TREATY_SOURCE_DIR "/examples/") + path, sources, diagnostics);
        auto* read = std::get_if<model::Specification>(&loaded.model);
        if (!read) throw std::runtime_error(path + " cannot be read");
        use(*read);
    }
    void use(model::Specification& read) {
        spec = &read;
        client = spec->alphabet->find_role("client");
        server = spec->alphabet->find_role("server");
    }

    std::unique_ptr<Tester> tester(InProcess::Program program) {
        auto part = std::move(*roles::RolePart::make(*spec, spec->protocols.back(), server, {client}, ""));
        return std::make_unique<Tester>(std::move(part),
                                        make_in_process_stage(std::move(program), {{client, "client"}}),
                                        SessionOptions());
    }

    std::string written(const SessionResult& outcome) const {
        std::string text;
        for (const Exchange& e : outcome.exchanges) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", spec->alphabet->name(e.message));
            const auto& fields = spec->message(e.message).fields;
            for (std::size_t i = 0; i < fields.size(); ++i)
                text += ' ' + expr::print(e.values[i], fields[i].type, *spec->types, *spec->names);
        }
        return text;
    }

    base::SourceMap sources;
    formats::Loaded loaded;
    std::optional<model::Specification> own;
    model::Specification* spec = nullptr;
    model::RoleId client, server;
};

struct Found {
    std::size_t found = 0;
    std::map<std::string, std::size_t> minimal;  // how often it was shrunk to this
    std::uint64_t sessions = 0;                  // all that it took
};

// A campaign for each seed; sessions: how many it may take.
Found find_bug(const std::string& path, InProcess::Program program, std::uint64_t sessions) {
    Found result;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Bundled bundled(path);
        std::vector<std::unique_ptr<Tester>> testers;
        testers.push_back(bundled.tester(program));
        CampaignOptions options;
        options.seed = seed;
        options.sessions = sessions;
        CampaignResult came = run_campaign(testers, options, [](const CampaignResult&) {});
        if (came.findings.empty()) continue;
        ++result.found;
        result.sessions += came.sessions;
        Shrunk small = shrink_run(*testers.front(), came.findings.front().outcome, ShrinkLimits());
        EXPECT_EQ(small.failed, small.repeated) << "it does not come and go";
        ++result.minimal[bundled.written(small.outcome)];
    }
    ::testing::Test::RecordProperty("sessions", std::to_string(result.sessions));
    return result;
}

// --- Algehed 2017: the echo server, the book shop

Task echo_with_bug(InProcess& here) {
    while (auto line = co_await here.receive("client")) here.send("client", *line == "\n" ? "BUG!\n" : *line);
}

TEST(Minimal, TheEchoServerThatAnswersTheEmptyTextWrongly) {
    Found f = find_bug("echo/echo.treaty", echo_with_bug, 100);
    EXPECT_GE(f.found, enough);
    EXPECT_GE(f.minimal["say \"\", echo \"BUG!\""], enough) << ::testing::PrintToString(f.minimal);
}

// A basket that keeps a book if `keeps` is true for the book and how many are there.
InProcess::Program shop(bool (*keeps)(long long, std::size_t)) {
    return [keeps](InProcess& here) -> Task {
        std::vector<long long> books;
        while (auto line = co_await here.receive("client")) {
            if (auto at = line->find("\"book\""); at != std::string::npos) {
                long long book = std::stoll(line->substr(line->find(':', at) + 1));
                if (keeps(book, books.size())) books.push_back(book);
            } else if (line->find("request") != std::string::npos) {
                here.send("client", fmt::format("{{\"message\": \"basket\", \"books\": [{}]}}\n",
                                                fmt::join(books, ", ")));
            }
        }
    };
}

TEST(Minimal, TheBookShopThatIsRightPasses) {
    EXPECT_EQ(
        find_bug("book_shop/any_book.treaty", shop([](long long, std::size_t) { return true; }), 20).found,
        0u);
}

TEST(Minimal, TheBookShopThatDropsNegativeBooks) {
    Found f = find_bug("book_shop/any_book.treaty",
                       shop([](long long book, std::size_t) { return book >= 0; }), 100);
    EXPECT_GE(f.found, enough);
    EXPECT_GE(f.minimal["buy -1, request, basket []"], enough) << ::testing::PrintToString(f.minimal);
}

TEST(Minimal, TheBookShopThatDropsBooksWhenTheBasketIsNotEmpty) {
    Found f = find_bug("book_shop/book_shop.treaty",
                       shop([](long long, std::size_t there) { return there == 0; }), 100);
    EXPECT_GE(f.found, enough);
    EXPECT_GE(f.minimal["buy 0, buy 0, request, basket [0]"], enough) << ::testing::PrintToString(f.minimal);
}

// --- Bugs at boundaries: the same store as examples/keyvalue/server.py

enum class Bug { none, append, wrap, letter_case };

std::vector<std::string> words_of(std::string line) {
    line.pop_back();
    std::vector<std::string> words{""};
    for (char c : line)
        if (c == ' ')
            words.emplace_back();
        else
            words.back() += c;
    words.resize(3);
    return words;
}

InProcess::Program store(Bug bug) {
    return [bug](InProcess& here) -> Task {
        std::map<std::string, std::string> texts;
        std::map<std::string, std::int64_t> counts;
        while (auto line = co_await here.receive("client")) {
            auto words = words_of(*line);
            if (bug == Bug::letter_case)
                for (char& c : words[1]) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
            std::string answer = "OK";
            if (words[0] == "CLEAR") texts.clear(), counts.clear();
            if (words[0] == "SET") texts[words[1]] = words[2];
            if (words[0] == "GET") answer = "TEXT " + texts[words[1]];
            if (words[0] == "APPEND") {
                std::string& text = texts[words[1]];
                text += words[2];
                bool full = text.size() >= 64 && (text.size() & (text.size() - 1)) == 0;
                if (bug == Bug::append && full && !words[2].empty()) text.pop_back();
                answer = fmt::format("SIZE {}", text.size());
            }
            if (words[0] == "ADD") {
                std::int64_t& count = counts[words[1]];
                count += std::stoll(words[2]);
                if (bug == Bug::wrap) count = static_cast<std::int32_t>(static_cast<std::uint32_t>(count));
                answer = fmt::format("COUNT {}", count);
            }
            here.send("client", answer + "\n");
        }
    };
}

TEST(Boundaries, TheStoreThatIsRightPasses) {
    EXPECT_EQ(find_bug("keyvalue/keyvalue.treaty", store(Bug::none), 10).found, 0u);
}

TEST(Boundaries, AnAppendThatLosesAByteAtAPowerOfTwo) {
    Found f = find_bug("keyvalue/keyvalue.treaty", store(Bug::append), 600);
    EXPECT_GE(f.found, enough);
}

TEST(Boundaries, ACounterThatWraps) {
    Found f = find_bug("keyvalue/keyvalue.treaty", store(Bug::wrap), 600);
    EXPECT_GE(f.found, enough);
    std::size_t exact = 0;
    for (const auto& [run, times] : f.minimal)
        if (run.find("2147483648") != std::string::npos || run.find("-2147483649") != std::string::npos)
            exact += times;
    EXPECT_GE(exact, enough) << ::testing::PrintToString(f.minimal);
}

TEST(Boundaries, NamesThatDifferOnlyInCaseCollide) {
    Found f = find_bug("keyvalue/keyvalue.treaty", store(Bug::letter_case), 600);
    EXPECT_GE(f.found, enough);
}

// --- Values that depend on one another

std::int64_t number_after(const std::string& line, const std::string& name) {
    std::size_t at = line.find('"' + name + "\":");
    return at == std::string::npos ? -1 : std::stoll(line.substr(at + name.size() + 3));
}

std::string text_after(const std::string& line, const std::string& name) {
    std::size_t at = line.find('"' + name + "\":");
    if (at == std::string::npos) return "";
    std::size_t from = line.find('"', at + name.size() + 3) + 1;
    return line.substr(from, line.find('"', from) - from);
}

// Each message has the number of those before it, so none can be left out unless the rest is numbered anew.
const char* log_protocol = R"(
message put(n: int, text: string) where text matches /[a-z]*/
message stored(n: int)
protocol Log(client, server) {
  let count = 0
  repeat at client {
    client -> server: put(count, let text)
    server -> client: stored(count)
    let count = count + 1
  }
}
)";

TEST(Dependent, NumbersInSequenceAreMadeAnew) {
    Found f = find_bug(
        log_protocol,
        [](InProcess& here) -> Task {
            while (auto line = co_await here.receive("client")) {
                std::int64_t n = number_after(*line, "n") + (text_after(*line, "text").size() >= 3 ? 1 : 0);
                here.send("client", fmt::format("{{\"message\": \"stored\", \"n\": {}}}\n", n));
            }
        },
        200);
    EXPECT_EQ(f.found, seeds);
    EXPECT_EQ(f.minimal["put 0 \"aaa\", stored 1"], seeds) << ::testing::PrintToString(f.minimal);
}

// What the component has given is sent back: it is another one each time.
const char* token_protocol = R"(
message open
message opened(token: int)
message use(token: int, n: int) where n >= 0
message used(n: int)
protocol Tokens(client, server) {
  client -> server: open
  server -> client: opened(let token)
  repeat at client {
    choice at client {
      client -> server: use(token, let n)
      server -> client: used(n)
    } or {
      client -> server: open
      server -> client: opened(let token)
    }
  }
}
)";

TEST(Dependent, WhatTheComponentHasGivenIsSentBack) {
    auto given = std::make_shared<std::int64_t>(1000);
    Found f = find_bug(
        token_protocol,
        [given](InProcess& here) -> Task {
            while (auto line = co_await here.receive("client")) {
                std::int64_t n = number_after(*line, "n");
                if (n < 0)
                    here.send("client",
                              fmt::format("{{\"message\": \"opened\", \"token\": {}}}\n", ++*given));
                else
                    here.send("client", fmt::format("{{\"message\": \"used\", \"n\": {}}}\n", n > 6 ? 0 : n));
            }
        },
        200);
    EXPECT_EQ(f.found, seeds);
    std::size_t minimal = 0;
    for (const auto& [run, times] : f.minimal)
        if (std::count(run.begin(), run.end(), ',') == 3 && run.ends_with(" 7, used 0")) minimal += times;
    EXPECT_EQ(minimal, seeds) << ::testing::PrintToString(f.minimal);
}

// What counts is how much was added in total, however it was divided.
const char* append_protocol = R"(
message append(more: string) where more matches /[a-z]{0,40}/
message size_is(n: int)
protocol Appends(client, server) {
  let size = 0
  repeat at client {
    client -> server: append(let more)
    let size = size + size(more)
    server -> client: size_is(size)
  }
}
)";

TEST(Dependent, WhatWasAddedInSeveralStepsIsAddedInOne) {
    Found f = find_bug(
        append_protocol,
        [](InProcess& here) -> Task {
            std::size_t size = 0;
            while (auto line = co_await here.receive("client")) {
                size += text_after(*line, "more").size();
                here.send("client",
                          fmt::format("{{\"message\": \"size_is\", \"n\": {}}}\n", size >= 20 ? 0 : size));
            }
        },
        200);
    EXPECT_EQ(f.found, seeds);
    EXPECT_EQ(f.minimal["append \"aaaaaaaaaaaaaaaaaaaa\", size_is 0"], seeds)
        << ::testing::PrintToString(f.minimal);
}

// Two names, where it takes only one.
const char* names_protocol = R"(
message put(name: string, n: int) where name matches /[a-z]{1,8}/ and n >= 0
message had(n: int)
protocol Names(client, server) {
  let all: map<string, int> = {}
  repeat at client {
    client -> server: put(let name, let n) where name in all or not (name in all)
    if name in all {
      server -> client: had(all[name])
    } else {
      server -> client: had(0)
    }
    let all[name] = n
  }
}
)";

TEST(Dependent, AValueThatIsStoredIsTriedAgain) {
    Found f = find_bug(
        names_protocol,
        [](InProcess& here) -> Task {
            std::map<std::string, std::int64_t> all;
            while (auto line = co_await here.receive("client")) {
                std::int64_t n = number_after(*line, "n");
                auto [at, added] = all.try_emplace(text_after(*line, "name"), 0);
                here.send("client", fmt::format("{{\"message\": \"had\", \"n\": {}}}\n",
                                                at->second > 99 ? 99 : at->second));
                at->second = n;
            }
        },
        200);
    EXPECT_EQ(f.found, seeds);
    EXPECT_EQ(f.minimal["put \"a\" 100, had 0, put \"a\" 0, had 99"], seeds)
        << ::testing::PrintToString(f.minimal);
}

}  // namespace
}  // namespace treaty
