// Questions about files, messages and bytes.
#include "api/convert.h"
#include "api/data.h"
#include "api/decode.h"
#include "api/format.h"
#include "api/mine.h"
#include "report/answers.h"
#include "workbench/questions.h"

namespace treaty::workbench {

Asked read_convert(Form& form) {
    api::ConvertQuestion question;
    std::string kind;
    form.file("file", question.file, "what to read");
    form.text("notation", question.notation,
              "the extension of the notation to write: treaty, gc, fsa, json, mmd, puml, dot, ...",
              Needed::yes);
    form.protocol(question.protocol);
    form.choice("as", kind, {"", "protocol", "system", "machine", "net"}, "write a protocol as one of these");
    form.flag("allow loss", question.allow_loss, "write even if something is lost, and report what");
    question.kind = api::parse_model_kind(kind);
    return [question](Asking& asking) {
        api::ConvertAnswer answer = api::convert(asking.workspace, question, asking.context);
        report::Own own;
        own.text = answer.text;
        own.quiet = answer.verdict == api::Verdict::holds;
        Json shown = asking.shown("convert", answer, own);
        if (!answer.text.empty())
            shown["made"] = {{"name", "converted." + question.notation}, {"text", answer.text}};
        return shown;
    };
}

Asked read_format(Form& form) {
    api::FormatQuestion question;
    question.files.emplace_back();
    form.file("file", question.files.front(), "a Treaty file");
    return [question](Asking& asking) {
        api::FormatAnswer answer = api::format(asking.workspace, question, asking.context);
        Json shown = asking.shown("fmt", answer,
                                  report::own_part(answer, [](const api::FormattedFile&) { return true; }));
        for (const api::FormattedFile& one : answer.files)
            shown["made"] = {{"name", one.file}, {"text", one.text}};
        return shown;
    };
}

Asked read_data(Form& form) {
    api::DataQuestion question;
    bool hex = false;
    form.file("file", question.file, "a file that declares the message");
    form.text("message", question.message, "which message (with a profile: any, by weight)");
    form.number("count", question.count, "how many (10, if it is empty)", 10'000);
    form.text("wire", question.wire,
              "the wire that encodes it (the last one that carries it, if it is empty)");
    form.file("profile", question.profile, "an operational profile: weights of messages and values",
              Needed::no);
    form.flag("invalid", question.invalid, "messages that break exactly one constraint each");
    form.flag("corrupt", question.corrupt,
              "also their bytes damaged in many ways, each with what the wire makes of it");
    form.flag("hex", hex, "show bytes as a dump: offset, hexadecimal digits, text");
    return [question, hex](Asking& asking) {
        api::DataAnswer answer = api::data(asking.workspace, question, asking.context);
        return asking.shown("data", answer, report::own_part(answer, hex));
    };
}

Asked read_decode(Form& form) {
    api::DecodeQuestion question;
    form.file("file", question.file, "a file that declares the wire");
    form.file("input", question.input, "the file with the bytes");
    form.text("wire", question.wire, "which wire of the file (the last one, if it is empty)");
    form.flag("hex", question.hex, "the input is hexadecimal text, or a dump of xxd or hexdump -C");
    form.texts("expect", question.expected, "only these messages may come, one per line");
    return [question](Asking& asking) {
        api::DecodeAnswer answer = api::decode(asking.workspace, question, asking.context);
        return asking.shown("decode", answer, report::own_part(answer));
    };
}

Asked read_mine(Form& form) {
    api::MineQuestion question;
    form.files("logs", question.logs, "logs, one per line; ROLE=FILE for the log of one role");
    form.files("mappings", question.mappings, "how lines of other forms become messages: a file per line",
               Needed::no);
    form.choice("session", question.session, {"session", "id"}, "what tells sessions apart");
    form.text("name", question.name, "of the protocol (Guess, if it is empty)");
    form.number("ahead", question.ahead, "how many steps ahead states must agree to be taken for one", 100);
    return [question](Asking& asking) {
        api::MineAnswer answer = api::mine(asking.workspace, question, asking.context);
        Json shown = asking.shown("mine", answer, report::own_part(answer));
        if (!answer.protocol.empty()) shown["made"] = {{"name", "guess.treaty"}, {"text", answer.protocol}};
        return shown;
    };
}

}  // namespace treaty::workbench
