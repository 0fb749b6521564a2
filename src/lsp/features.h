// The requests, one function each: from the protocol's words to a question of api/, and back. Internal to
// lsp/.
#pragma once

#include "lsp/json.h"
#include "lsp/server.h"

namespace treaty::lsp {

// The offset that `position` of the parameters means in the document; throws RequestError if it is not open.
std::uint32_t offset_in(const Request& request);

// navigation.cpp
Json document_symbols(Request& request);
Json workspace_symbols(Request& request);
Json go_to_definition(Request& request);
Json find_references(Request& request);
Json highlights(Request& request);
Json prepare_rename(Request& request);
Json rename_symbol(Request& request);
Json document_links(Request& request);

// writing.cpp
Json completion(Request& request);
Json signature_help(Request& request);
Json formatting(Request& request);  // the whole document; nothing if it has no canonical form
Json range_formatting(Request& request);
Json code_actions(Request& request);

// reading.cpp
Json hover(Request& request);
Json folding_ranges(Request& request);
Json selection_ranges(Request& request);
Json semantic_tokens(Request& request);
Json inlay_hints(Request& request);
Json semantic_token_legend();

// commands.cpp
Json code_lenses(Request& request);
Json execute_command(Request& request);
Json command_names();

}  // namespace treaty::lsp
