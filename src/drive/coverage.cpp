#include "drive/coverage.h"

#include <algorithm>

namespace treaty::drive {
namespace {

std::string_view size_class(std::size_t size) {
    if (size == 0) return "empty";
    if (size == 1) return "one";
    return size <= 100 ? "some" : "more than 100";
}

std::string_view number_class(std::int64_t n) {
    if (n == 0) return "0";
    if (n < 0) return n >= -1000 ? "negative" : "below -1000";
    if (n == 1) return "1";
    // Where lengths and counters of programs change their size.
    for (int bits : {7, 8, 15, 16, 31, 32, 63}) {
        std::int64_t edge = bits == 63 ? INT64_MAX : (std::int64_t{1} << bits);
        if (n == edge || n == edge - 1) return "at a power of two";
    }
    return n <= 1000 ? "up to 1000" : "above 1000";
}

}  // namespace

std::string_view value_class(const expr::Value& value) {
    if (const auto* n = std::get_if<std::int64_t>(&value.v)) return number_class(*n);
    if (const auto* flag = std::get_if<bool>(&value.v)) return *flag ? "true" : "false";
    if (const auto* text = std::get_if<std::string>(&value.v)) return size_class(text->size());
    if (const auto* bytes = std::get_if<expr::Bytes>(&value.v)) return size_class(bytes->data.size());
    if (const auto* list = std::get_if<expr::Sequence>(&value.v)) return size_class(list->items.size());
    if (const auto* real = std::get_if<double>(&value.v))
        return *real == 0 ? "0" : *real < 0 ? "negative" : "positive";
    return "any";
}

Coverage::Coverage(const model::Net& net) {
    for (const model::Transition& t : net.transitions()) {
        const model::Event& e = net.alphabet().event(t.label);
        if (e.kind != model::EventKind::silent)
            steps.push_back({t.node, e.kind == model::EventKind::receive, 0});
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
    for (const auto& [field, classes] : other.values)
        for (const auto& [name, count] : classes) values[field][name] += count;
}

}  // namespace treaty::drive
