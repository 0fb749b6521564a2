#include "generate/handlers.h"

#include <fmt/format.h>

#include "generate/code_writer.h"

namespace treaty::generate {
namespace {

constexpr std::string_view cpp_class =
    R"(// The role {role} of the protocol {protocol}, with a handler for each message. Written by treaty generate from {source};
// do not edit.
#pragma once

{include} "{file}_monitor.hpp"

namespace {name}::{scope} {{

// Derive from it. A handler may send; what the protocol does not allow then throws treaty::UnexpectedMessage or
// treaty::DataError.
class Handlers : public treaty::Handlers<Message, Monitor> {{
public:
    using treaty::Handlers<Message, Monitor>::Handlers;

private:
{handlers}
    void handle(std::size_t from, const Message& message) final {{
        std::visit(
            [&](const auto& m) {{
                if constexpr (requires {{ on(from, m); }}) on(from, m);
            }},
            message);
    }}
}};

}}  // namespace {name}::{scope}
)";

constexpr std::string_view python_class =
    R"("""The role {role} of the protocol {protocol}, with a handler for each message.

Written by treaty generate from {source}; do not edit.
"""
from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import {name}_messages as messages
import {file}_monitor
import treaty_runtime as rt


class Handlers(rt.Handlers):
    """Derive from it. A handler may send; what the protocol does not allow then is raised."""

    HANDLERS: ClassVar[dict[type[rt.Message], str]] = {{
{table}    }}

    def __init__(self, link: rt.Link) -> None:
        super().__init__(link, {file}_monitor.Monitor())
{handlers})";

constexpr std::string_view typescript_class =
    R"(// The role {role} of the protocol {protocol}, with a handler for each message. Written by treaty generate from {source};
// do not edit.
import * as messages from "./{name}_messages.js";
import {{ Monitor }} from "./{file}_monitor.js";
import * as rt from "./treaty_runtime.js";

// Derive from it. A handler may send; what the protocol does not allow then is thrown.
export abstract class Handlers extends rt.Handlers {{
  constructor(link: rt.Link) {{
    super(link, new Monitor());
  }}

{handlers}
  protected override async handle(sender: string, message: rt.Message): Promise<void> {{
    const m = message as messages.Message;
    switch (m.kind) {{
{table}    }}
  }}
}}
)";

class HandlerWriter {
public:
    HandlerWriter(const RoleSource& source, const RoleCode& role, Language language,
                  base::Diagnostics& diagnostics)
        : writer_(source, language, diagnostics, language == Language::cpp ? "messages::" : "messages."),
          role_(role),
          language_(language) {}

    std::optional<GeneratedFile> run() {
        std::string handlers, table;
        for (model::MessageId m : writer_.messages())
            if (auto lines = received(m); !lines.empty()) add(m, lines, handlers, table);
        if (!writer_.ok()) return std::nullopt;
        std::string file = writer_.file_name(role_.role);
        std::string_view pattern = language_ == Language::cpp      ? cpp_class
                                   : language_ == Language::python ? python_class
                                                                   : typescript_class;
        std::string text = fmt::format(
            fmt::runtime(pattern), fmt::arg("role", writer_.alphabet().name(role_.role)),
            fmt::arg("protocol", writer_.protocol().name()), fmt::arg("source", writer_.source_file()),
            fmt::arg("name", writer_.protocol_name()), fmt::arg("file", file),
            fmt::arg("include", "#include"), fmt::arg("scope", writer_.name(role_.role)),
            fmt::arg("handlers", handlers), fmt::arg("table", table));
        std::string_view extension = language_ == Language::cpp      ? "hpp"
                                     : language_ == Language::python ? "py"
                                                                     : "ts";
        return GeneratedFile{fmt::format("{}_handlers.{}", file, extension), std::move(text)};
    }

private:
    // The lines of the protocol where the role receives the message; none if it never does.
    std::vector<std::string> received(model::MessageId message) const {
        std::vector<const Alternative*> alternatives;
        for (const StateCode& state : role_.states)
            for (const Operation& o : state.operations)
                if (!o.sends && o.message == message)
                    for (const Alternative& a : o.alternatives) alternatives.push_back(&a);
        return CodeWriter::lines(alternatives);
    }

    void add(model::MessageId message, const std::vector<std::string>& lines, std::string& handlers,
             std::string& table) {
        const std::string& name = writer_.name(message);
        std::string kind = writer_.quoted(writer_.alphabet().name(message));
        std::string comments;
        switch (language_) {
            case Language::cpp:
                for (const std::string& line : lines) comments += fmt::format("    // {}\n", line);
                handlers += fmt::format(
                    "{}    virtual void on(std::size_t from, const messages::{}& m) = 0;\n", comments, name);
                return;
            case Language::python:
                for (const std::string& line : lines) comments += fmt::format("        # {}\n", line);
                handlers += fmt::format(
                    "\n    @abstractmethod\n    def on_{0}(self, m: messages.{0}, sender: str) -> None:\n{1} "
                    "       ...\n",
                    name, comments);
                table += fmt::format("        messages.{0}: \"on_{0}\",\n", name);
                return;
            case Language::typescript: break;
        }
        for (const std::string& line : lines) comments += fmt::format("  // {}\n", line);
        handlers += fmt::format(
            "{0}  abstract on_{1}(m: messages.{1}, sender: string): void | Promise<void>;\n", comments, name);
        table += fmt::format("      case {}:\n        return this.on_{}(m, sender);\n", kind, name);
    }

    CodeWriter writer_;
    const RoleCode& role_;
    Language language_;
};

}  // namespace

std::optional<GeneratedFile> handlers(const RoleSource& source, const RoleCode& role, Language language,
                                      base::Diagnostics& diagnostics) {
    return HandlerWriter(source, role, language, diagnostics).run();
}

}  // namespace treaty::generate
