// diff: what changed between two versions of a protocol file, and which roles does it concern?
//
// Declarations are compared as the language writes them (lang/print.h), whatever notation they were read
// from, so layout, comments, the order of declarations and calls written out do not count. Protocols of the
// same name are compared role by role: is the role's part, its projection, the same in both versions
// (api/models/compare_parts.h)? If the last protocols of both files have no counterpart, they are compared
// with each other. A protocol that others call is compared as a part of those.
//
// The verdict: holds if no role is concerned; fails if the part of one changed, if a role or a protocol came
// or went, or if a wire changed or went, which concerns every role; else undecided if one part could not be
// compared. The witness is a run of the first role whose part changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/models/compare_parts.h"
#include "api/workspace.h"

namespace treaty::api {

struct DiffQuestion {
    std::string before, after;  // files
    std::string role;           // empty: all roles
};

enum class Change : std::uint8_t { added, removed, changed };

struct DeclarationChange {
    Change change = Change::changed;
    std::string kind, name;     // "message", "charge"
    std::string before, after;  // as the language writes it; empty if that version does not have it
};

struct RoleChange {
    std::string role;
    std::optional<Change> change;  // none: the part is the same, or not known
    PartComparison part;           // if both versions have the role
};

struct ProtocolChange {
    std::string before, after;  // names; empty if this version does not have it
    std::vector<RoleChange> roles;
};

struct DiffAnswer : Answer {
    bool compared = false;                   // else a file or the role is unusable
    std::vector<DeclarationChange> changes;  // in the order of the new file; removed ones last
    std::vector<ProtocolChange> protocols;
};

DiffAnswer diff(const Workspace& workspace, const DiffQuestion& question, const Context& context);

}  // namespace treaty::api
