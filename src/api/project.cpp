#include "api/project.h"

#include "api/input/inputs.h"
#include "api/models/derive.h"
#include "api/projection_texts.h"

namespace treaty::api {

ProjectAnswer project(const Workspace& workspace, const ProjectQuestion& question, const Context& context) {
    ProjectAnswer answer;
    answer.inputs = {question.file};
    answer.roles = question.roles;
    Inquiry inquiry(workspace, context, answer);
    auto input = load_protocol(inquiry, question.file, question.protocol);
    if (!input) return answer;
    answer.protocol = input->protocol->name();
    auto roles = choose_roles(inquiry, input->specification, *input->protocol, question.roles);
    if (!roles) return answer;
    answer.machine = derive_machine(inquiry, *input, *roles);
    if (!answer.machine) return answer;
    inquiry.holds();
    write_texts(inquiry, question, *input->protocol, &input->specification, answer);
    return answer;
}

}  // namespace treaty::api
