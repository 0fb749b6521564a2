// From the services and messages of a .proto file to a .treaty text.
//
// A call is, from the client, its messages; from the server, its messages and then a status, 0 where it
// succeeded, as in gRPC. A call whose client streams begins with a frame that opens it, so that the server
// knows of it, and has a frame after the last message. Only one call is under way at a time.
#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/names.h"
#include "formats/proto/proto.h"
#include "formats/proto/text.h"

namespace treaty::formats {
namespace {

using proto::Message;
using proto::Method;
using proto::Part;
using proto::Schema;
using proto::Service;
using proto::Text;

struct Call {
    const Method* method;
    Part open, request, end, reply;  // open and end: where the client streams
};

class Writer {
public:
    Writer(const Schema& schema, base::Diagnostics& diagnostics, MadeText& out)
        : schema_(schema), diagnostics_(diagnostics), out_(out), text_(out) {}

    void write(const std::string& title) {
        out_.comment(0, title);
        if (schema_.services.empty())
            write_messages();
        else
            write_services(protocol_name(title));
    }

private:
    // --- messages alone

    void write_messages() {
        std::vector<Part> parts;
        for (const Message* m : schema_.own)
            parts.push_back({message_names_.take(json_schema::name_near(m->name)), m, {}, m->span});
        for (const Part& p : parts) text_.declare_types(*p.message);
        for (const Part& p : parts) text_.declare(p);
        for (const Part& p : parts) {
            out_.blank();
            out_.line(0,
                      "// The file does not state where a message ends: its length is assumed before it, as "
                      "a varint.");
            out_.line(
                0, fmt::format("wire {} over stream {{", wire_names_.take(protocol_name(p.message->name))));
            text_.layout(1, p);
            out_.line(0, "}");
        }
        diagnostics_.report(codes::document_not_stated, parts.front().span,
                            "the file has no service, so there is no protocol; each message has a wire");
    }

    // --- services

    // The line before a message, with one byte that says that it is not compressed.
    static std::string frame(std::string_view line) {
        return fmt::format("block {} {{ \"{}\" }}  0: 8", line.size() < 256 ? 8 : 16, line);
    }

    Part part(std::string name, const Message* message, std::string_view line, base::Span span) {
        return {message_names_.take(name), message, frame(line), span};
    }

    void write_services(const std::string& name) {
        std::vector<std::vector<Call>> calls;
        for (const Service& service : schema_.services) {
            calls.emplace_back();
            for (const Method& m : service.methods) calls.back().push_back(call(m));
        }
        status_ = message_names_.take("status");
        for (const Part* p : all(calls))
            if (p->message) text_.declare_types(*p->message);
        for (const Part* p : all(calls)) text_.declare(*p);
        out_.line(0, fmt::format("message {}(code: int in 0..16, text: string)", status_));
        for (std::size_t i = 0; i < calls.size(); ++i) protocol(schema_.services[i], calls[i]);
        out_.blank();
        out_.comment(0,
                     "The file does not state how calls are sent over TCP, and gRPC uses HTTP/2. Here each "
                     "message has a line\n"
                     "before it, with its length: call, reply, open or end and the call, or status. One byte "
                     "that is 0 (not\n"
                     "compressed) and four bytes of length are as in gRPC.");
        out_.line(0, fmt::format("wire {}Frames over stream {{", name));
        for (const Part* p : all(calls)) text_.layout(1, *p);
        out_.line(1, fmt::format("{}(code, text) = {{", status_));
        out_.line(2, frame("status"));
        out_.line(2, "block 32 { protobuf { 1: int32 code, 2: string text, ... } }");
        out_.line(1, "}");
        out_.line(0, "}");
    }

    Call call(const Method& m) {
        std::string name = json_schema::name_near(m.name);
        Call c{&m, {}, {}, {}, {}};
        if (m.client_streams) c.open = part(name + "_open", nullptr, "open " + m.path, m.span);
        c.request = part(name, m.request, "call " + m.path, m.span);
        if (m.client_streams) c.end = part(name + "_end", nullptr, "end " + m.path, m.span);
        c.reply = part(name + "_reply", m.reply, "reply " + m.path, m.span);
        return c;
    }

    static std::vector<const Part*> all(const std::vector<std::vector<Call>>& calls) {
        std::vector<const Part*> parts;
        for (const auto& of_service : calls)
            for (const Call& c : of_service)
                for (const Part* p : {&c.open, &c.request, &c.end, &c.reply})
                    if (!p->name.empty()) parts.push_back(p);
        return parts;
    }

    void protocol(const Service& service, const std::vector<Call>& calls) {
        if (calls.empty()) {
            diagnostics_.report(codes::document_left_out, service.span,
                                fmt::format("the service `{}` has no call; it is left out", service.name));
            return;
        }
        out_.blank();
        bool requests = std::ranges::any_of(calls, [](const Call& c) { return c.method->client_streams; });
        bool replies = std::ranges::any_of(calls, [](const Call& c) { return c.method->server_streams; });
        out_.comment(
            0, "The file does not state an order: any call can be made at any time, one after the other.");
        if (requests || replies) out_.comment(0, "It does not state who ends a stream: its sender does.");
        if (requests)
            out_.comment(0, "It does not state when a call can fail: after the stream of the client.");
        out_.line(
            0,
            fmt::format("protocol {}(client, server) {{", protocol_names_.take(protocol_name(service.name))),
            service.span);
        out_.line(1, "repeat at client {");
        out_.choose(2, "client", calls.size(),
                    [&](int indent, std::size_t i) { exchange(indent, calls[i]); });
        out_.line(1, "}");
        out_.line(0, "}");
        diagnostics_.report(
            codes::document_not_stated, service.span,
            "the file does not state an order; assuming that any call can be made at any time, one "
            "after the other");
    }

    void exchange(int indent, const Call& c) {
        base::Span span = c.method->span;
        auto stream = [&](int inner, std::string_view from, std::string_view to, const Part& p) {
            out_.line(inner, fmt::format("repeat at {} {{", from), span);
            out_.line(inner + 1, fmt::format("{} -> {}: {}", from, to, p.name), span);
            out_.line(inner, "}");
        };
        bool client = c.method->client_streams, server = c.method->server_streams;
        if (!client) {
            out_.line(indent, fmt::format("client -> server: {}", c.request.name), span);
        } else {
            out_.line(indent, fmt::format("client -> server: {}", c.open.name), span);
            if (server) out_.line(indent, "par {", span);
            stream(indent + server, "client", "server", c.request);
            out_.line(indent + server, fmt::format("client -> server: {}", c.end.name), span);
        }
        if (client && server) out_.line(indent, "} and {");
        if (server) {
            stream(indent + client, "server", "client", c.reply);
            if (client) out_.line(indent, "}");
            out_.line(indent, fmt::format("server -> client: {}", status_), span);
            return;
        }
        out_.line(indent, "choice at server {", span);
        out_.line(indent + 1, fmt::format("server -> client: {}", c.reply.name), span);
        out_.line(indent + 1, fmt::format("server -> client: {}(0, _)", status_), span);
        out_.line(indent, "} or {");
        out_.line(indent + 1, fmt::format("server -> client: {}(let code, _) where code != 0", status_),
                  span);
        out_.line(indent, "}");
    }

    const Schema& schema_;
    base::Diagnostics& diagnostics_;
    MadeText& out_;
    Text text_;
    json_schema::FreeNames message_names_, protocol_names_, wire_names_;
    std::string status_;
};

}  // namespace

Loaded load_proto(const Loading& loading) {
    auto schema = proto::read_schema(loading);
    if (!schema) return {};
    base::Span start{loading.file, 0, 0};
    bool calls = false;
    for (const Service& s : schema->services) calls = calls || !s.methods.empty();
    if (!calls && schema->own.empty()) {
        loading.diagnostics.report(codes::document_structure, start, "the file has no message and no call");
        return {};
    }
    if (!calls) schema->services.clear();
    std::size_t fields = 0;
    for (const Message* m : schema->own) fields += calls ? 0 : m->size;
    for (const Service& s : schema->services)
        for (const Method& m : s.methods) fields += m.request->size + m.reply->size;
    if (fields > proto::most_fields) {
        loading.diagnostics.report(
            codes::proto_too_large, start,
            fmt::format("the messages have {} fields in all their layouts, more than {}", fields,
                        proto::most_fields));
        return {};
    }
    MadeText text(start);
    Writer(*schema, loading.diagnostics, text)
        .write(schema->package.empty() ? std::string(stem_of(loading.sources.path(loading.file)))
                                       : schema->package);
    return text.read(loading);
}

}  // namespace treaty::formats
