#include "watch/mapping/bind_mapping.h"

#include <algorithm>

#include <fmt/format.h>

#include "watch/codes.h"
#include "watch/mapping/mapped_values.h"

namespace treaty::watch {
namespace {

using model::MessageId;

// The slot, if the template is nothing but its value.
std::optional<std::size_t> only_slot(const Template& text) {
    if (text.parts.size() != 1 || text.parts[0].transform != Transform::none ||
        text.parts[0].alternatives.size() != 1)
        return std::nullopt;
    const Template::Alternative& one = text.parts[0].alternatives[0];
    return one.kind == Template::Alternative::Kind::slot ? std::optional(one.slot) : std::nullopt;
}

std::vector<MessageId> messages_of(const Mapping& mapping, const MessageRule& rule,
                                   const model::Specification& specification) {
    std::vector<MessageId> messages;
    if (auto names = possible_names(mapping, rule)) {
        for (const std::string& name : *names)
            if (MessageId known = specification.alphabet->find_message(name)) messages.push_back(known);
        return messages;
    }
    for (std::size_t i = 0; i < specification.messages.size(); ++i) messages.emplace_back(i);
    return messages;
}

std::string field_names(const model::Specification& specification, MessageId message) {
    std::vector<std::string_view> names;
    for (const expr::Field& field : specification.message(message).fields)
        names.push_back(specification.names->text(field.name));
    return fmt::format("{}", fmt::join(names, ", "));
}

void check_message(const std::string& name, const MessageRule& rule,
                   const model::Specification& specification, base::Diagnostics& diagnostics) {
    MessageId message = specification.alphabet->find_message(name);
    if (!message) {
        diagnostics
            .report(codes::mapping_name, base::Severity::warning, rule.name.span,
                    fmt::format("the protocol has no message {}", name))
            .help("its records are ignored");
        return;
    }
    const auto& fields = specification.message(message).fields;
    for (const FieldRule& field : rule.fields) {
        if (std::any_of(fields.begin(), fields.end(), [&](const expr::Field& one) {
                return specification.names->text(one.name) == field.field;
            }))
            continue;
        base::Diagnostic& unknown = diagnostics.report(codes::mapping_name, field.span,
                                                       fmt::format("{} has no field {}", name, field.field));
        if (!fields.empty())
            unknown.help(fmt::format("its fields are: {}", field_names(specification, message)));
    }
}

}  // namespace

std::vector<FieldSource> field_sources(const Mapping& mapping, const MessageRule& rule,
                                       const model::Specification& specification, MessageId message) {
    std::vector<FieldSource> sources;
    for (const expr::Field& field : specification.message(message).fields) {
        std::string_view name = specification.names->text(field.name);
        FieldSource& source = sources.emplace_back();
        auto given = std::find_if(rule.fields.begin(), rule.fields.end(),
                                  [&](const FieldRule& one) { return one.field == name; });
        auto same = std::find_if(rule.scope.begin(), rule.scope.end(),
                                 [&](const auto& one) { return one.first == name; });
        if (given != rule.fields.end()) {
            source.kind = FieldSource::Kind::text;
            source.text = &given->value;
        } else if (mapping.json && !rule.fields_of.empty()) {
            source.kind = FieldSource::Kind::member;
            source.path = fmt::format("{}.{}", rule.fields_of, name);
        } else if (same != rule.scope.end()) {
            source.kind = FieldSource::Kind::slot;
            source.slot = same->second;
        }
    }
    return sources;
}

std::optional<std::vector<std::string>> possible_names(const Mapping& mapping, const MessageRule& rule) {
    std::vector<std::string> texts;
    if (auto constant = rule.name.constant()) {
        texts.push_back(*constant);
    } else {
        auto slot = only_slot(rule.name);
        auto chosen = std::find_if(rule.conditions.begin(), rule.conditions.end(), [&](const Condition& one) {
            return slot && one.kind == Condition::Kind::is && only_slot(one.value) == slot;
        });
        if (chosen == rule.conditions.end()) return std::nullopt;
        texts = chosen->texts;
    }
    for (std::string& text : texts) {
        auto renamed = std::find_if(mapping.names.cases.begin(), mapping.names.cases.end(),
                                    [&](const auto& one) { return one.first == text; });
        std::optional<std::string> name = renamed != mapping.names.cases.end() ? renamed->second.constant()
                                          : mapping.names.otherwise ? mapping.names.otherwise->constant()
                                                                    : transformed(text, Transform::name);
        if (!name) return std::nullopt;
        text = std::move(*name);
    }
    return texts;
}

std::optional<UnmappedField> unmapped_field(const Mapping& mapping, const Vocabulary& vocabulary) {
    const model::Specification& specification = vocabulary.specification();
    for (const MessageRule& rule : mapping.rules) {
        if (rule.skip) continue;
        for (MessageId message : messages_of(mapping, rule, specification)) {
            std::vector<FieldSource> sources = field_sources(mapping, rule, specification, message);
            for (std::size_t i = 0; i < sources.size(); ++i)
                if (sources[i].kind == FieldSource::Kind::none)
                    return UnmappedField{&rule, std::string(specification.alphabet->name(message)),
                                         std::string(specification.names->text(
                                             specification.message(message).fields[i].name))};
        }
    }
    return std::nullopt;
}

void check_mapping(const Mapping& mapping, const Vocabulary& vocabulary, bool data_wanted,
                   base::Diagnostics& diagnostics) {
    const model::Specification& specification = vocabulary.specification();
    for (const MessageRule& rule : mapping.rules) {
        if (rule.skip) continue;
        for (const Template* role : {&rule.from, &rule.to, &rule.seen_by, &rule.role, &rule.peer}) {
            auto name = role->empty() ? std::nullopt : role->constant();
            if (name && !vocabulary.role(*name))
                diagnostics.report(codes::mapping_name, role->span,
                                   fmt::format("the protocol has no role {}", *name));
        }
        auto names = possible_names(mapping, rule);
        for (const std::string& name : names.value_or(std::vector<std::string>{}))
            check_message(name, rule, specification, diagnostics);
    }
    if (!diagnostics.ok() || !data_wanted) return;
    if (auto unmapped = unmapped_field(mapping, vocabulary))
        diagnostics
            .report(codes::data_unmapped, unmapped->rule->span,
                    fmt::format("the mapping has no value for {} of {}, so no data is judged",
                                unmapped->field, unmapped->message))
            .help(fmt::format("if the log has it, add: {} = {{VALUE}}", unmapped->field));
}

}  // namespace treaty::watch
