// What `project` and `repair` end with: the machine and the protocol as texts, in the notations that were
// asked for.
#pragma once

#include "api/inquiry.h"
#include "api/project.h"
#include "model/specification.h"

namespace treaty::api {

// Expects an answer with a machine and the verdict "holds", which is lost if a text cannot be made. The
// specification is what the machine was projected from: null if there is only a graph of it, which is not a
// text.
void write_texts(const Inquiry& inquiry, const ProjectQuestion& question, const model::Protocol& protocol,
                 const model::Specification* specification, ProjectAnswer& answer);

}  // namespace treaty::api
