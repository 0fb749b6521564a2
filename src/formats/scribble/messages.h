// The messages of a Scribble file: labels with evaluated payloads, declared in the Treaty syntax tree at
// their first use.
//
// A label with a second list of payload types is a second message with a number after its name (T0805).
// Types that are known by name (int, String, Boolean ...) become ours, others become records without fields.
#pragma once

#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "base/diagnostic.h"
#include "formats/scribble/tree.h"

namespace treaty::formats::scribble {

struct PlainPayload {
    Name field;
    NameId type;
    lang::SyntaxExprId refinement;
    Span span;
};

struct PlainSignature {
    Name label;
    std::vector<PlainPayload> payload;
};

class Messages {
public:
    Messages(base::Names& names, lang::Syntax& out, base::Diagnostics& diagnostics)
        : names_(names), out_(out), diagnostics_(diagnostics) {}

    void declare_type(NameId type, Span span);  // a type of the file's own, if it is not known by name

    // The name of the message in the model.
    Name use(const PlainSignature& signature);

    // Reports choices whose branches differ only in the payload of one label.
    void check_choices() const;

private:
    struct Overload {
        std::vector<NameId> types;
        NameId name;
        Span first;
    };
    using FirstReceptions = std::vector<const lang::Step*>;

    void declare(Name name, const PlainSignature& signature);
    NameId free_name(NameId label);
    bool collect(lang::BlockId block, FirstReceptions& out, absl::flat_hash_set<NameId>& told) const;
    void check_choice(const lang::Step& choice) const;

    base::Names& names_;
    lang::Syntax& out_;
    base::Diagnostics& diagnostics_;
    absl::flat_hash_set<NameId> opaque_;
    absl::flat_hash_set<NameId> taken_;
    absl::flat_hash_map<NameId, std::vector<Overload>> overloads_;  // by label
    absl::flat_hash_map<NameId, NameId> label_of_;                  // of messages that share a label
};

}  // namespace treaty::formats::scribble
