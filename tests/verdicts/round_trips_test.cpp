// What is written in a notation and read again is the same model: every notation that is read and written,
// random models of every kind.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include <fmt/format.h>

#include "choreo/testing/seeds.h"
#include "formats/load.h"
#include "formats/notation.h"
#include "formats/testing/random_models.h"
#include "formats/testing/same_model.h"
#include "generate.h"
#include "lang/testing/texts.h"
#include "print.h"
#include "reading.h"

namespace treaty::verdicts {
namespace {

using formats::Loaded;
using formats::Notation;

std::uint64_t cases() {
    return 1'000 * choreo::testing::seeds(1);
}

// A text of a notation, or nothing if it cannot carry the model.
std::optional<std::string> written(const Loaded& model, std::string_view extension) {
    base::Diagnostics diagnostics;
    return formats::write(model, extension, diagnostics, formats::LossPolicy::refuse).text;
}

struct Back {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    Loaded model;
};

std::unique_ptr<Back> read_back(const std::string& text, std::string_view extension) {
    auto back = std::make_unique<Back>();
    back->model = formats::load(fmt::format("p.{}", extension), back->sources, back->diagnostics,
                                lang::Knowing::demanded,
                                [&](const std::string&) -> base::Result<std::string> { return text; });
    return back;
}

// A diagram of arrows has no blocks: the reader finds them again, perhaps others.
bool draws_arrows(std::string_view extension) {
    return extension == "bpmn";
}

// The steps of a protocol: what every notation of protocols keeps. With `arrows` what follows a choice or a
// recursion is part of each branch, a loop is named by how many are around it, one that nothing jumps to is
// none, and empty segments and further empty branches are left out: the same for all blocks that mean the
// same arrows.
class Steps {
public:
    Steps(const model::Specification& s, const model::Protocol& p, bool arrows)
        : s_(s), p_(p), arrows_(arrows) {}

    std::string text() {
        return of(p_.root(), [] { return std::string(); });
    }

private:
    // The text of what follows a node, in the loops that are around it where it is asked for.
    using After = std::function<std::string()>;

    std::string of(model::NodeId id, const After& after) {
        const model::Node& n = p_[id];
        switch (n.kind) {
            case model::NodeKind::sequence: return sequence(id, 0, after);
            case model::NodeKind::interaction:
                return fmt::format("{}->{}:{} {}", s_.alphabet->name(n.role), s_.alphabet->name(n.to),
                                   s_.alphabet->name(n.message), after());
            case model::NodeKind::jump:
                if (arrows_) return again(depth_[n.loop.index]);
                return fmt::format("continue {} {}", p_.loop_name(n.loop), after());
            default: return arrows_ ? arrows_of(id, after) : block(id, after);
        }
    }

    std::string head_of(const model::Node& n) const {
        return fmt::format("{}{} ", model::to_string(n.kind),
                           n.role ? fmt::format(" at {}", s_.alphabet->name(n.role)) : "");
    }

    std::string block(model::NodeId id, const After& after) {
        std::string text = head_of(p_[id]);
        for (model::NodeId child : p_.children(id))
            text += fmt::format("{{ {}}} ", of(child, [] { return std::string(); }));
        return text + after();
    }

    std::string arrows_of(model::NodeId id, const After& after) {
        const model::Node& n = p_[id];
        model::NodeId first = p_.children(id).empty() ? model::NodeId() : *p_.children(id).begin();
        switch (n.kind) {
            case model::NodeKind::recursion:
                return loop([&](int depth) {
                    depth_[n.loop.index] = depth;
                    return of(first, after);
                });
            case model::NodeKind::repeat:
                return loop([&](int depth) {
                    std::string body = of(first, [&] { return again(depth); });
                    return fmt::format("choice at {} {{ {}}} {{ {}}} ", s_.alphabet->name(n.role), body,
                                       after());
                });
            case model::NodeKind::choice: {
                std::string head = head_of(n), branches;
                int count = 0;
                bool may_be_empty = false;
                for (model::NodeId child : p_.children(id)) {
                    bool empty = of(child, [] { return std::string(); }).empty();
                    if (empty && may_be_empty) continue;
                    may_be_empty = may_be_empty || empty;
                    ++count;
                    std::string text = of(child, after);
                    // A branch that is a choice of the same role: its branches.
                    branches +=
                        text.starts_with(head) ? text.substr(head.size()) : fmt::format("{{ {}}} ", text);
                }
                return count == 1 && may_be_empty ? after() : head + branches;
            }
            case model::NodeKind::parallel: return segments(id, after);
            default: return block(id, after);
        }
    }

    // Arrows have no empty segments.
    std::string segments(model::NodeId id, const After& after) {
        std::string all;
        int count = 0;
        model::NodeId last;
        for (model::NodeId child : p_.children(id)) {
            std::string text = of(child, [] { return std::string(); });
            if (text.empty()) continue;
            all += fmt::format("{{ {}}} ", text);
            last = child;
            ++count;
        }
        if (count == 0) return after();
        return count == 1 ? of(last, after) : head_of(p_[id]) + all + after();
    }

    static std::string again(int depth) { return fmt::format("continue {} ", depth); }

    // body(depth) names the loop by how many are around it.
    template <class Body>
    std::string loop(Body body) {
        std::string text = body(around_++);
        --around_;
        if (text.find(again(around_)) != std::string::npos) return fmt::format("recursion {{ {}}} ", text);
        // Nothing leads back: it is no loop, and those inside have one less around them.
        return body(-1);
    }

    // From the child with this number on.
    std::string sequence(model::NodeId id, std::size_t from, const After& after) {
        std::size_t number = 0;
        for (model::NodeId child : p_.children(id))
            if (number++ == from) return of(child, [&] { return sequence(id, from + 1, after); });
        return after();
    }

    const model::Specification& s_;
    const model::Protocol& p_;
    const bool arrows_;
    int around_ = 0;
    std::map<std::uint32_t, int> depth_;
};

bool says_everything(std::string_view extension) {
    return extension == "json" || extension == "treaty";
}

// What a notation must keep of a model.
std::string kept(const Loaded& model, std::string_view extension) {
    const auto* s = model.get<model::Specification>();
    if (!s) return {};
    if (says_everything(extension)) return formats::testing::plain_model(*s);
    return Steps(*s, *s->main_protocol(), draws_arrows(extension)).text();
}

// One model through one notation; false if the notation cannot carry it.
bool goes_through(const Loaded& model, std::string_view extension, const std::string& which) {
    std::optional<std::string> text = written(model, extension);
    if (!text) return false;
    auto back = read_back(*text, extension);
    if (!back->model) {
        ADD_FAILURE() << which << " as ." << extension << " is not read:\n"
                      << formats::testing::listing(back->sources, back->diagnostics) << *text;
        return true;
    }
    EXPECT_EQ(back->model.model.index(), model.model.index()) << which << " as ." << extension;
    std::string before = kept(model, extension), after = kept(back->model, extension);
    // Where a notation has no recursion, one that is a loop is written as a loop.
    auto recursive = [](const std::string& steps) { return steps.find("recursion") != std::string::npos; };
    if (says_everything(extension) || recursive(before) == recursive(after)) {
        EXPECT_EQ(after, before) << which << " as ." << extension << "\n" << *text;
    }
    // Silent steps of machines are removed on reading, so the text is another one, once.
    if (extension == "fsa" && text->find(" tau ") != std::string::npos) {
        text = written(back->model, extension);
        if (!text) return true;
        back = read_back(*text, extension);
    }
    if (!draws_arrows(extension)) {
        EXPECT_EQ(written(back->model, extension), text) << which << " as ." << extension;
    }
    return true;
}

// The models of one kind through all notations, or those that say everything; how many each could carry.
template <class Make>
std::map<std::string, int> all_through(std::uint64_t count, Make make, bool only_whole = false) {
    std::map<std::string, int> carried;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        Loaded model = make(seed);
        if (!model) continue;
        for (const Notation& notation : formats::notations()) {
            std::string extension(notation.extensions.front());
            if (!notation.is_read_here() || !notation.is_written()) continue;
            if (only_whole && !says_everything(extension)) continue;
            if (goes_through(model, extension, fmt::format("seed {}", seed))) ++carried[extension];
            if (::testing::Test::HasFailure()) return carried;
        }
    }
    for (const auto& [extension, times] : carried) fmt::print(".{}: {} of {}\n", extension, times, count);
    return carried;
}

Loaded protocol_of(const std::string& text) {
    Loaded loaded;
    if (auto specification = read(text)) loaded.model = std::move(*specification);
    return loaded;
}

TEST(RoundTrips, ProtocolsWithData) {
    auto carried = all_through(cases(), [](std::uint64_t seed) {
        return protocol_of(lang::testing::TextMaker(static_cast<std::uint32_t>(seed)).text());
    });
    EXPECT_GT(carried["treaty"], 500);
    EXPECT_GT(carried["json"], 500);
}

TEST(RoundTrips, ProtocolsWithoutData) {
    auto carried = all_through(3 * cases(), [](std::uint64_t seed) {
        return protocol_of(print(random_file(seed, {.data = false})));
    });
    for (const char* extension : {"treaty", "json", "gc", "scr", "mmd", "puml", "bpmn"})
        EXPECT_GT(carried[extension], 50) << extension;
}

TEST(RoundTrips, Systems) {
    auto carried = all_through(cases(), [](std::uint64_t seed) {
        Loaded loaded;
        loaded.model = formats::testing::RandomModels(seed).system();
        return loaded;
    });
    EXPECT_GT(carried["json"], 500);
    EXPECT_GT(carried["fsa"], 5);
}

TEST(RoundTrips, Machines) {
    auto carried = all_through(cases(), [](std::uint64_t seed) {
        Loaded loaded;
        loaded.model = formats::testing::RandomModels(seed).machine();
        return loaded;
    });
    for (const char* extension : {"json", "aut"}) EXPECT_GT(carried[extension], 20) << extension;
}

TEST(RoundTrips, Nets) {
    auto carried = all_through(cases(), [](std::uint64_t seed) {
        Loaded loaded;
        loaded.model = formats::testing::RandomModels(seed).net();
        return loaded;
    });
    for (const char* extension : {"json", "pnml"}) EXPECT_GT(carried[extension], 50) << extension;
}

// Models that were not made from a text: types in any order, conditions on anything, blocks of nothing. Those
// that obey the rules of the language, which reading JSON sees to; who decides a choice is told by reading
// the text.
TEST(RoundTrips, ModelsOfAnyForm) {
    auto make = [](std::uint64_t seed) {
        Loaded loaded;
        formats::testing::RandomModels models(seed);
        if (seed % 2 == 0) models.without_data();
        loaded.model = models.specification();
        auto lawful = read_back(*written(loaded, "json"), "json");
        std::optional<std::string> text;
        if (lawful->model) text = written(lawful->model, "treaty");
        if (!text) return Loaded();
        auto back = read_back(*text, "treaty");
        EXPECT_TRUE(back->model) << "seed " << seed << "\n"
                                 << formats::testing::listing(back->sources, back->diagnostics) << *text;
        return std::move(back->model);
    };
    auto carried = all_through(cases(), make, true);
    EXPECT_GT(carried["treaty"], 20);
}

}  // namespace
}  // namespace treaty::verdicts
