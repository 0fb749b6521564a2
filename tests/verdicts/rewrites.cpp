#include "rewrites.h"

#include <algorithm>
#include <functional>

#include "print.h"

namespace treaty::verdicts {
namespace {

using Kind = Step::Kind;
using Changed = std::optional<File>;

// A place in a protocol: step `at` of a block.
struct Place {
    Block* block;
    std::size_t at;
    Step& step() const { return (*block)[at]; }
};

void collect_places(Block& block, const std::function<bool(const Block&, std::size_t)>& fits,
                    std::vector<Place>& found) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        if (fits(block, i)) found.push_back({&block, i});
        for (Block& inner : block[i].blocks) collect_places(inner, fits, found);
    }
}

// Applies `change` at one of the places that fit.
Changed somewhere(const File& file, Random& random,
                  const std::function<bool(const Block&, std::size_t)>& fits,
                  const std::function<bool(File&, const Place&)>& change) {
    File result = file;
    std::vector<Place> places;
    collect_places(result.tested().body, fits, places);
    if (places.empty()) return std::nullopt;
    if (!change(result, places[random.below(static_cast<unsigned>(places.size()))])) return std::nullopt;
    return result;
}

bool is(const Block& block, std::size_t at, std::initializer_list<Kind> kinds) {
    return std::find(kinds.begin(), kinds.end(), block[at].kind) != kinds.end();
}

Block from(const Block& block, std::size_t at) {
    return {block.begin() + static_cast<std::ptrdiff_t>(at), block.end()};
}
void cut(Block& block, std::size_t at) {
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(at), block.end());
}
void append(Block& block, const Block& more) {
    block.insert(block.end(), more.begin(), more.end());
}

Step jump_to(const std::string& loop) {
    Step step;
    step.kind = Kind::jump;
    step.name = loop;
    return step;
}

std::string text_of(const Step& step) {
    File file;
    file.protocols.push_back({"T", std::vector<std::string>(8, "R"), {step}});
    for (std::size_t i = 0; i < 8; ++i) file.tested().roles[i] += std::to_string(i);
    return print(file);
}

void names_in(const Block& block, std::set<std::string>& variables, std::set<std::string>& bound) {
    for (const Step& step : block) {
        if (step.condition) collect_variables(*step.condition, variables);
        if (step.kind == Kind::let) bound.insert(step.name);
        for (const Argument& a : step.arguments) {
            if (a.kind == Argument::Kind::bind) bound.insert(a.name);
            collect_variables(a.value, variables);
        }
        for (const Block& inner : step.blocks) names_in(inner, variables, bound);
    }
}
std::set<std::string> names_in(const Block& block) {
    std::set<std::string> all, bound;
    names_in(block, all, bound);
    all.merge(bound);
    return all;
}
bool share_names(const Block& a, const Block& b) {
    auto first = names_in(a), second = names_in(b);
    return std::any_of(first.begin(), first.end(), [&](const std::string& n) { return second.contains(n); });
}

// ---- the rewrites

Changed continuation_into_branches(const File& file, Random& random) {
    return somewhere(
        file, random,
        [](const Block& b, std::size_t i) {
            return is(b, i, {Kind::choice, Kind::optional, Kind::conditional}) && i + 1 < b.size();
        },
        [](File&, const Place& p) {
            Block rest = from(*p.block, p.at + 1);
            Step& step = p.step();
            bool missing =
                step.kind == Kind::optional || (step.kind == Kind::conditional && step.blocks.size() == 1);
            if (step.kind == Kind::optional) step.kind = Kind::choice;
            if (missing) step.blocks.emplace_back();
            for (Block& branch : step.blocks)
                if (exits_of(branch).ends) append(branch, rest);
            cut(*p.block, p.at + 1);
            return true;
        });
}

Changed common_end_out_of_branches(const File& file, Random& random) {
    return somewhere(
        file, random,
        [](const Block& b, std::size_t i) {
            if (!is(b, i, {Kind::choice}) || b[i].blocks[0].empty()) return false;
            std::string last = text_of(b[i].blocks[0].back());
            return std::all_of(b[i].blocks.begin(), b[i].blocks.end(), [&](const Block& branch) {
                return branch.size() > 1 && text_of(branch.back()) == last &&
                       names_in({branch.back()}).empty();
            });
        },
        [](File&, const Place& p) {
            Step last = p.step().blocks[0].back();
            for (Block& branch : p.step().blocks) branch.pop_back();
            p.block->insert(p.block->begin() + static_cast<std::ptrdiff_t>(p.at) + 1, last);
            return true;
        });
}

Changed loop_unfolded(const File& file, Random& random) {
    return somewhere(
        file, random,
        [](const Block& b, std::size_t i) {
            return is(b, i, {Kind::repeat, Kind::loop});
        },
        [](File&, const Place& p) {
            Step once = p.step();
            once.kind = once.kind == Kind::repeat ? Kind::optional : Kind::conditional;
            once.blocks[0].push_back(p.step());
            p.step() = once;
            return true;
        });
}

// Every `continue` of the loop is the last thing in the loop's body.
bool only_at_the_end(const Block& body, const std::string& loop) {
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (!exits_of(body[i]).jumps.contains(loop)) continue;
        if (i + 1 < body.size()) return false;
        if (is(body, i, {Kind::repeat, Kind::loop, Kind::rec})) return false;
        for (const Block& inner : body[i].blocks)
            if (!only_at_the_end(inner, loop)) return false;
    }
    return true;
}
void replace_jumps(Block& block, const std::string& loop, const Step& by) {
    for (Step& step : block) {
        if (step.kind == Kind::jump && step.name == loop)
            step = by;
        else
            for (Block& inner : step.blocks) replace_jumps(inner, loop, by);
    }
}

Changed rec_unfolded(const File& file, Random& random) {
    return somewhere(
        file, random,
        [](const Block& b, std::size_t i) {
            return is(b, i, {Kind::rec}) && only_at_the_end(b[i].blocks[0], b[i].name);
        },
        [](File&, const Place& p) {
            Step loop = p.step();
            Block body = loop.blocks[0];
            replace_jumps(body, loop.name, loop);
            Block whole(p.block->begin(), p.block->begin() + static_cast<std::ptrdiff_t>(p.at));
            append(whole, body);
            append(whole, from(*p.block, p.at + 1));
            *p.block = whole;
            return true;
        });
}

Changed renamed(const File& file, Random&) {
    File result = file;
    result.messages.clear();
    for (const auto& [name, types] : file.messages) result.messages["other_" + name] = types;
    std::function<void(Block&)> rename = [&](Block& block) {
        for (Step& step : block) {
            if (step.kind == Kind::interaction) step.name = "other_" + step.name;
            for (Block& inner : step.blocks) rename(inner);
        }
    };
    for (Protocol& protocol : result.protocols) {
        rename(protocol.body);
        for (std::string& role : protocol.roles) role = "Other" + role;
    }
    return result;
}

// Some steps in a row become a protocol of their own.
Changed split_into_calls(const File& file, Random& random) {
    return somewhere(
        file, random,
        [](const Block& b, std::size_t i) {
            return !is(b, i, {Kind::jump, Kind::let, Kind::call});
        },
        [&](File& result, const Place& p) {
            std::size_t count = 1 + random.below(static_cast<unsigned>(p.block->size() - p.at));
            Block part(p.block->begin() + static_cast<std::ptrdiff_t>(p.at),
                       p.block->begin() + static_cast<std::ptrdiff_t>(p.at + count));
            if (!exits_of(part).jumps.empty()) return false;
            std::set<Role> roles = roles_of(part);
            if (roles.size() < 2) return false;
            p.block->erase(p.block->begin() + static_cast<std::ptrdiff_t>(p.at),
                           p.block->begin() + static_cast<std::ptrdiff_t>(p.at + count));
            if (share_names(part, result.tested().body)) return false;
            Step call;
            call.kind = Kind::call;
            call.name = "Part" + std::to_string(result.protocols.size());
            call.roles.assign(roles.begin(), roles.end());
            Protocol called{call.name, {}, part};
            std::map<Role, Role> position;
            for (Role r : call.roles) {
                position[r] = static_cast<Role>(called.roles.size());
                called.roles.push_back("r" + std::to_string(called.roles.size()));
            }
            std::function<void(Block&)> map = [&](Block& block) {
                for (Step& step : block) {
                    if (step.kind == Kind::interaction || step.kind == Kind::choice ||
                        step.kind == Kind::optional || step.kind == Kind::repeat) {
                        // A decider that has no part in its block plays no role in the new protocol.
                        step.from = position.contains(step.from) ? position[step.from] : 0;
                        step.to = position.contains(step.to) ? position[step.to] : 0;
                    }
                    for (Role& r : step.roles) r = position[r];
                    for (Block& inner : step.blocks) map(inner);
                }
            };
            map(called.body);
            p.block->insert(p.block->begin() + static_cast<std::ptrdiff_t>(p.at), call);
            result.protocols.insert(result.protocols.begin(), called);
            return true;
        });
}

Changed independent_steps_swapped(const File& file, Random& random) {
    return somewhere(
        file, random,
        [](const Block& b, std::size_t i) {
            if (i + 1 >= b.size()) return false;
            auto first = roles_of(b[i]), second = roles_of(b[i + 1]);
            if (first.empty() || second.empty()) return false;
            bool apart = std::none_of(first.begin(), first.end(), [&](Role r) { return second.contains(r); });
            return apart && exits_of(b[i]).jumps.empty() && exits_of(b[i + 1]).jumps.empty() &&
                   !share_names({b[i]}, {b[i + 1]});
        },
        [](File&, const Place& p) {
            std::swap((*p.block)[p.at], (*p.block)[p.at + 1]);
            return true;
        });
}

Changed optional_as_choice(const File& file, Random& random) {
    return somewhere(
        file, random, [](const Block& b, std::size_t i) { return is(b, i, {Kind::optional}); },
        [](File&, const Place& p) {
            p.step().kind = Kind::choice;
            p.step().blocks.emplace_back();
            return true;
        });
}

Changed repeat_as_rec(const File& file, Random& random) {
    return somewhere(
        file, random, [](const Block& b, std::size_t i) { return is(b, i, {Kind::repeat}); },
        [](File&, const Place& p) {
            Step loop;
            loop.kind = Kind::rec;
            loop.name =
                "Again" + std::to_string(interactions_of(p.step().blocks[0])) + "_" + std::to_string(p.at);
            Step decision = p.step();
            decision.kind = Kind::choice;
            decision.blocks[0].push_back(jump_to(loop.name));
            decision.blocks.emplace_back();
            loop.blocks = {{decision}};
            p.step() = loop;
            return true;
        });
}

Changed branches_turned(const File& file, Random& random) {
    return somewhere(
        file, random,
        [](const Block& b, std::size_t i) {
            return is(b, i, {Kind::choice, Kind::par});
        },
        [](File&, const Place& p) {
            std::rotate(p.step().blocks.begin(), p.step().blocks.begin() + 1, p.step().blocks.end());
            return true;
        });
}

}  // namespace

const std::vector<Rewrite>& rewrites() {
    static const std::vector<Rewrite> all = {
        {"continuation moved into branches", continuation_into_branches, true, true},
        {"common end moved out of branches", common_end_out_of_branches, true, true},
        {"loop unfolded once", loop_unfolded, true, true},
        {"rec unfolded once", rec_unfolded, true, true},
        {"renamed", renamed, true, false},
        {"split into calls", split_into_calls, true, true},
        {"independent steps swapped", independent_steps_swapped, false, true},
        {"optional as choice", optional_as_choice, true, true},
        {"repeat as rec", repeat_as_rec, true, true},
        {"branches turned", branches_turned, true, true},
    };
    return all;
}

}  // namespace treaty::verdicts
