#include "roles/coverage.h"

#include <algorithm>

namespace treaty::roles {

Coverage::Coverage(const model::Net& net) {
    for (const model::Transition& t : net.transitions()) {
        const model::Event& e = net.alphabet().event(t.label);
        if (e.kind != model::EventKind::silent)
            steps.push_back({t.node, e.kind == model::EventKind::receive});
    }
    auto less = [](const Step& a, const Step& b) {
        return a.node.index != b.node.index ? a.node.index < b.node.index : a.to_component < b.to_component;
    };
    std::sort(steps.begin(), steps.end(), less);
    auto same = [](const Step& a, const Step& b) {
        return a.node == b.node && a.to_component == b.to_component;
    };
    steps.erase(std::unique(steps.begin(), steps.end(), same), steps.end());
}

bool Coverage::seen(model::NodeId node, bool to_component) const {
    return std::any_of(steps.begin(), steps.end(), [&](const Step& s) {
        return s.node == node && s.to_component == to_component && s.seen > 0;
    });
}

void Coverage::note(model::NodeId node, bool to_component) {
    for (Step& step : steps)
        if (step.node == node && step.to_component == to_component) covered_ += step.seen++ == 0;
}

void Coverage::note_wrong(model::NodeId node) {
    for (Step& step : steps)
        if (step.node == node && !step.to_component) step.wrong = true;
}

void Coverage::note_due(model::NodeId node) {
    for (Step& step : steps)
        if (step.node == node && !step.to_component) step.due = true;
}

void Coverage::note_failures(const Coverage& other) {
    for (std::size_t i = 0; i < steps.size() && i < other.steps.size(); ++i) {
        steps[i].wrong = steps[i].wrong || other.steps[i].wrong;
        steps[i].due = steps[i].due || other.steps[i].due;
        steps[i].unread = steps[i].unread || other.steps[i].unread;
    }
}

void Coverage::note_unread(model::NodeId node) {
    for (Step& step : steps)
        if (step.node == node && !step.to_component) step.unread = true;
}

void Coverage::note(model::MessageId message, std::span<const expr::Value> fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) ++values[{message, i}][value_class(fields[i])];
}

bool Coverage::adds(model::MessageId message, std::span<const expr::Value> fields) const {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        auto field = values.find({message, i});
        if (field == values.end() || !field->second.contains(value_class(fields[i]))) return true;
    }
    return false;
}

void Coverage::merge(const Coverage& other) {
    for (std::size_t i = 0; i < steps.size() && i < other.steps.size(); ++i) {
        covered_ += steps[i].seen == 0 && other.steps[i].seen > 0;
        steps[i].seen += other.steps[i].seen;
    }
    note_failures(other);
    for (const auto& [field, classes] : other.values)
        for (const auto& [name, count] : classes) values[field][name] += count;
}

}  // namespace treaty::roles
