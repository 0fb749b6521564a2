#include "flow.h"

#include <algorithm>
#include <deque>
#include <memory>

namespace treaty::verdicts {
namespace {

// A block that is being executed, and what to do at its end.
struct Frame {
    const Block* block;
    std::size_t next;             // step
    const Step* loop;             // the loop whose body it is, if any
    std::set<std::string> outer;  // variables that exist outside it
    friend bool operator<(const Frame& a, const Frame& b) {
        return std::tie(a.block, a.next, a.loop) < std::tie(b.block, b.next, b.loop);
    }
};

struct Control {
    std::vector<Frame> frames;
    Values values;
    friend bool operator<(const Control& a, const Control& b) {
        return std::tie(a.frames, a.values) < std::tie(b.frames, b.values);
    }
};

class Expander {
public:
    Expander(const File& file, std::size_t max_places)
        : protocol_(inlined(file)), file_(file), max_places_(max_places) {
        note_used(protocol_.body);
    }

    Flow run() {
        flow_.main = graph({{{&protocol_.body, 0, nullptr, {}}}, {}});
        return std::move(flow_);
    }

private:
    struct Builder {
        FlowGraph graph;
        std::map<Control, int> places;
        std::deque<Control> open;
    };

    // Values that nothing reads would only multiply the places.
    void note_used(const Block& block) {
        for (const Step& step : block) {
            if (step.condition) collect_variables(*step.condition, used_);
            for (const Argument& a : step.arguments) collect_variables(a.value, used_);
            for (const Block& b : step.blocks) note_used(b);
        }
    }

    int graph(Control start) {
        leave_finished(start);
        if (auto it = known_.find(start); it != known_.end()) return it->second;
        Builder builder;
        place(builder, start);
        while (!builder.open.empty() && !flow_.too_large) {
            Control at = std::move(builder.open.front());
            builder.open.pop_front();
            int from = builder.places.at(at);
            if (at.frames.empty())
                builder.graph.end = from;
            else
                expand(builder, from, at);
        }
        leave_out_impossible(builder.graph);
        flow_.graphs.push_back(std::move(builder.graph));
        return known_[start] = static_cast<int>(flow_.graphs.size()) - 1;
    }

    int place(Builder& builder, Control control) {
        leave_finished(control);
        auto [it, added] = builder.places.try_emplace(control, static_cast<int>(builder.places.size()));
        if (added) {
            builder.graph.out.emplace_back();
            builder.open.push_back(control);
            if (++places_ > max_places_) flow_.too_large = true;
        }
        return it->second;
    }

    void edge(Builder& builder, int from, Control to, int interaction = -1, std::vector<int> segments = {}) {
        int target = place(builder, std::move(to));
        builder.graph.out[from].push_back({target, interaction, std::move(segments)});
    }

    static void forget_inner(Control& control, const std::set<std::string>& outer) {
        std::erase_if(control.values, [&](const auto& v) { return !outer.contains(v.first); });
    }

    static void leave_finished(Control& control) {
        while (!control.frames.empty() && control.frames.back().next == control.frames.back().block->size()) {
            forget_inner(control, control.frames.back().outer);
            control.frames.pop_back();
        }
    }

    static void enter(Control& control, const Block& block, const Step* loop) {
        std::set<std::string> outer;
        for (const auto& [name, value] : control.values) outer.insert(name);
        for (const Frame& f : control.frames) outer.insert(f.outer.begin(), f.outer.end());
        control.frames.push_back({&block, 0, loop, std::move(outer)});
    }

    void expand(Builder& builder, int from, const Control& at) {
        const Step& step = (*at.frames.back().block)[at.frames.back().next];
        Control after = at;
        ++after.frames.back().next;
        if (goes_on(after) && never_ends(step, at.values)) {
            beside(builder, from, step, after);
            return;
        }
        switch (step.kind) {
            case Step::Kind::interaction: exchange(builder, from, step, after); break;
            case Step::Kind::let: {
                auto value = evaluate(*step.condition, at.values);
                if (!value)
                    after.values.erase(step.name);
                else if (used_.contains(step.name))
                    after.values[step.name] = *value;
                edge(builder, from, after);
                break;
            }
            case Step::Kind::choice:
                for (const Block& block : step.blocks) into(builder, from, after, block, nullptr);
                break;
            case Step::Kind::optional:
                into(builder, from, after, step.blocks[0], nullptr);
                edge(builder, from, after);
                break;
            case Step::Kind::conditional:
                if (holds(step.condition, at.values))
                    into(builder, from, after, step.blocks[0], nullptr);
                else if (step.blocks.size() > 1)
                    into(builder, from, after, step.blocks[1], nullptr);
                else
                    edge(builder, from, after);
                break;
            case Step::Kind::repeat:
                into(builder, from, at, step.blocks[0], &step);
                edge(builder, from, after);
                break;
            case Step::Kind::loop:
                if (holds(step.condition, at.values))
                    into(builder, from, at, step.blocks[0], &step);
                else
                    edge(builder, from, after);
                break;
            case Step::Kind::rec: into(builder, from, after, step.blocks[0], &step); break;
            case Step::Kind::jump: jump(builder, from, step, after); break;
            case Step::Kind::par: {
                std::vector<int> segments;
                for (const Block& block : step.blocks) {
                    Control inner{{}, at.values};
                    enter(inner, block, nullptr);
                    segments.push_back(graph(inner));
                }
                edge(builder, from, after, -1, std::move(segments));
                break;
            }
            case Step::Kind::call: break;  // inlined
        }
    }

    void into(Builder& builder, int from, Control control, const Block& block, const Step* loop) {
        enter(control, block, loop);
        edge(builder, from, std::move(control));
    }

    void jump(Builder& builder, int from, const Step& step, Control control) {
        while (!control.frames.back().loop || control.frames.back().loop->kind != Step::Kind::rec ||
               control.frames.back().loop->name != step.name)
            control.frames.pop_back();
        control.frames.back().next = 0;
        forget_inner(control, control.frames.back().outer);
        edge(builder, from, std::move(control));
    }

    void exchange(Builder& builder, int from, const Step& step, const Control& after) {
        auto type = file_.messages.find(step.name);
        std::vector<std::vector<int>> rows{{}};
        for (std::size_t i = 0; type != file_.messages.end() && i < type->second.size(); ++i) {
            int top = type->second[i] == Type::truth ? 1 : 2;
            std::vector<std::vector<int>> longer;
            for (const auto& row : rows)
                for (int v = 0; v <= top; ++v) {
                    longer.push_back(row);
                    longer.back().push_back(v);
                }
            rows = std::move(longer);
        }
        for (const auto& row : rows) {
            Control next = after;
            std::string text = step.name;
            bool allowed = true;
            for (std::size_t i = 0; i < row.size(); ++i) {
                text += (i == 0 ? "(" : ",") + std::to_string(row[i]);
                if (i >= step.arguments.size()) continue;
                const Argument& a = step.arguments[i];
                if (a.kind == Argument::Kind::bind) next.values[a.name] = row[i];
                if (a.kind == Argument::Kind::value)
                    allowed = allowed && evaluate(a.value, after.values) == row[i];
            }
            if (!row.empty()) text += ")";
            if (!allowed || !holds(step.condition, next.values)) continue;
            std::erase_if(next.values, [&](const auto& v) { return !used_.contains(v.first); });
            edge(builder, from, next, interaction({step.from, step.to, text}));
        }
    }

    int interaction(const Interaction& i) {
        auto [it, added] = ids_.try_emplace(i, static_cast<int>(flow_.interactions.size()));
        if (added) flow_.interactions.push_back(i);
        return it->second;
    }

    // A branch that cannot begin is not taken, as long as another one can.
    static void leave_out_impossible(FlowGraph& graph) {
        std::vector<bool> impossible(graph.out.size(), false);
        auto leads_nowhere = [&](const FlowEdge& edge) {
            return edge.interaction < 0 && edge.segments.empty() &&
                   impossible[static_cast<std::size_t>(edge.to)];
        };
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t p = 0; p < graph.out.size(); ++p) {
                if (impossible[p] || static_cast<int>(p) == graph.end) continue;
                impossible[p] = std::all_of(graph.out[p].begin(), graph.out[p].end(), leads_nowhere);
                changed = changed || impossible[p];
            }
        }
        for (std::size_t p = 0; p < graph.out.size(); ++p)
            if (!impossible[p]) std::erase_if(graph.out[p], leads_nowhere);
    }

    // ---- what comes after a loop that never ends

    const Block& alone(const Step& step) {
        const Block*& block = alone_[&step];
        if (!block) block = &blocks_.emplace_back(Block{step});
        return *block;
    }

    // By its text, or with the values at hand.
    bool never_ends(const Step& step, const Values& values) {
        if (step.kind == Step::Kind::jump) return false;
        Exits exits = exits_of(step);
        if (exits.never()) return true;
        if (!exits.jumps.empty()) return false;
        if (step.kind != Step::Kind::rec && step.kind != Step::Kind::loop && step.kind != Step::Kind::par)
            return false;
        Control only{{}, values};
        enter(only, alone(step), nullptr);
        return flow_.graphs[static_cast<std::size_t>(graph(only))].end < 0;
    }

    static bool goes_on(const Control& after) {
        for (const Frame& f : after.frames)
            if (f.next < f.block->size() || (f.loop && f.loop->kind != Step::Kind::rec)) return true;
        return false;
    }

    void beside(Builder& builder, int from, const Step& endless, const Control& after) {
        auto blocked = roles_of(endless);
        // Without decisions inside, everyone in the loop is in it for ever.
        bool simple = (endless.kind == Step::Kind::rec || endless.kind == Step::Kind::loop) &&
                      std::all_of(endless.blocks[0].begin(), endless.blocks[0].end(), [](const Step& s) {
                          return s.kind == Step::Kind::interaction || s.kind == Step::Kind::jump;
                      });
        Block rest;
        for (std::size_t i = after.frames.size(); i-- > 0;) {
            const Frame& f = after.frames[i];
            if (f.loop && f.loop->kind != Step::Kind::rec) flow_.unclear = true;
            for (std::size_t k = f.next; k < f.block->size(); ++k)
                keep_if_free((*f.block)[k], simple, blocked, rest);
        }
        const Block& by_itself = alone(endless);
        if (rest.empty()) {
            Control only{{}, after.values};
            enter(only, by_itself, nullptr);
            // The same loop with nothing after it.
            edge(builder, from, std::move(only));
            return;
        }
        const Block& others = blocks_.emplace_back(std::move(rest));
        std::vector<int> segments;
        for (const Block* block : {&by_itself, &others}) {
            Control inner{{}, after.values};
            enter(inner, *block, nullptr);
            segments.push_back(graph(inner));
        }
        builder.graph.out.emplace_back();
        builder.graph.out[from].push_back({static_cast<int>(builder.graph.out.size()) - 1, -1, segments});
        // The place after both, which is never reached: no other place has these frames.
        builder.places[{{{&others, 99, nullptr, {}}}, {}}] = static_cast<int>(builder.graph.out.size()) - 1;
    }

    // A step is held up for ever if the role that begins it is; then so is everyone else in it.
    void keep_if_free(const Step& step, bool simple, std::set<Role>& blocked, Block& rest) {
        if (step.kind == Step::Kind::jump) {
            flow_.unclear = true;
            return;
        }
        std::set<Role> roles = roles_of(step);
        bool touched = std::any_of(roles.begin(), roles.end(), [&](Role r) { return blocked.contains(r); });
        if (!touched) {
            rest.push_back(step);
            return;
        }
        if (!simple) flow_.unclear = true;
        if (step.kind == Step::Kind::interaction
                ? !blocked.contains(step.from)
                : !std::includes(blocked.begin(), blocked.end(), roles.begin(), roles.end()))
            flow_.unclear = true;
        blocked.insert(roles.begin(), roles.end());
    }

    Protocol protocol_;
    const File& file_;
    std::size_t max_places_, places_ = 0;
    Flow flow_;
    std::set<std::string> used_;
    std::map<Interaction, int> ids_;
    std::map<Control, int> known_;
    std::deque<Block> blocks_;  // made here
    std::map<const Step*, const Block*> alone_;
};

}  // namespace

Flow flow_of(const File& file, std::size_t max_places) {
    return Expander(file, max_places).run();
}

}  // namespace treaty::verdicts
