// What can be asked about the parts of a file: the commands that an editor offers above them.
//
// A protocol can be checked, explored, projected, drawn, walked through and tested, as far as its notation
// allows; a property can be checked; a script can be run; a campaign of a project file can be run. Files with
// faults offer what could be read of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/editor/text_structure.h"
#include "api/show.h"
#include "api/workspace.h"

namespace treaty::api {

enum class OfferKind : std::uint8_t {
    check,
    explore,
    project,
    draw,
    step,
    test,
    check_property,
    run_script,
    run_campaign
};

struct Offer {
    OfferKind kind = OfferKind::check;
    std::string subject;  // the protocol, the property or the campaign; empty: the file
    TextRange place;      // of its name
};

// In the order of the text.
std::vector<Offer> offers(const Workspace& workspace, const std::string& file);

// The picture that a file has by its nature: a sequence chart, a machine, a net.
ShowKind natural_picture(const Workspace& workspace, const std::string& file);

// The roles that a protocol, or machines, have; empty if there are none.
std::vector<std::string> roles_in(const Workspace& workspace, const std::string& file,
                                  const std::string& protocol);

// For each role of the protocol the lines of the steps that it takes part in and of the blocks around them,
// ascending; in the order of roles_in. None for other models.
std::vector<std::vector<std::uint32_t>> lines_of_roles(const Workspace& workspace, const std::string& file,
                                                       const std::string& protocol);

// Whether it is a project file (treaty.toml), by its name.
bool is_project_file(const std::string& path);

struct CampaignPlace {
    std::string name, cut, file;
    std::uint32_t line = 0;  // of its name, from 1
    TextRange place;
};

// The campaigns of a project file; none if it has faults, which diagnose() finds.
std::vector<CampaignPlace> campaigns_of(const Workspace& workspace, const std::string& project);

}  // namespace treaty::api
