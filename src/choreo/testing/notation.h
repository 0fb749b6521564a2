// For tests: protocols from a short notation, so that an expected result is beside its protocol.
//
//   A->B:x ; B->C:y               sequence
//   ch A { ... } { ... }          choice at A (`ch - ...`: no decider)
//   par { ... } { ... }           parallel
//   rep A { ... }                 repeat at A
//   rec L { ... }  cont L         recursion
//   try { ... } { ... }           interruption
//   sig s  wait s                 semaphores
//   { ... }                       a nested sequence; 0 is the empty protocol
//
// Roles begin with a capital and are declared in order of appearance. Spans point into the text (file 0).
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo::testing {

struct TestProtocol {
    std::shared_ptr<model::Specification> spec;
    std::shared_ptr<model::Protocol> protocol;
    std::string text;

    model::RoleId role(std::string_view name) const { return spec->alphabet->find_role(name); }
    std::string_view at(base::Span span) const {
        return std::string_view(text).substr(span.begin, span.end - span.begin);
    }
};

class NotationReader {
public:
    explicit NotationReader(std::string text)
        : text_(std::move(text)), spec_(std::make_shared<model::Specification>()) {
        split();
        std::vector<model::RoleId> roles;
        for (const Token& t : tokens_) {
            if (!std::isupper(static_cast<unsigned char>(t.text[0])) || t.text.size() > 1) continue;
            model::RoleId role = spec_->alphabet->role(t.text);
            if (std::find(roles.begin(), roles.end(), role) == roles.end()) roles.push_back(role);
        }
        builder_ = std::make_unique<model::ProtocolBuilder>("P", base::Span{}, roles);
    }

    TestProtocol read() {
        block_body();
        if (position_ != tokens_.size()) throw std::runtime_error("trailing text in " + text_);
        spec_->messages.resize(spec_->alphabet->message_count());
        auto protocol = builder_->finish();
        if (!protocol) throw std::runtime_error(builder_->fault() + " in " + text_);
        return {spec_, std::make_shared<model::Protocol>(std::move(*protocol)), text_};
    }

private:
    struct Token {
        std::string text;
        std::uint32_t begin, end;
    };

    void split() {
        std::size_t i = 0;
        while (i < text_.size()) {
            auto c = static_cast<unsigned char>(text_[i]);
            if (std::isspace(c)) {
                ++i;
                continue;
            }
            std::size_t start = i;
            if (std::isalnum(c)) {
                while (i < text_.size() && std::isalnum(static_cast<unsigned char>(text_[i]))) ++i;
            } else if (text_.compare(i, 2, "->") == 0) {
                i += 2;
            } else {
                ++i;
            }
            tokens_.push_back({text_.substr(start, i - start), static_cast<std::uint32_t>(start),
                               static_cast<std::uint32_t>(i)});
        }
    }

    bool next_is(std::string_view text) const {
        return position_ < tokens_.size() && tokens_[position_].text == text;
    }
    Token take() {
        if (position_ >= tokens_.size()) throw std::runtime_error("unexpected end of " + text_);
        return tokens_[position_++];
    }
    void expect(std::string_view text) {
        Token t = take();
        if (t.text != text) throw std::runtime_error("expected " + std::string(text) + ", found " + t.text);
    }
    static base::Span span(const Token& a, const Token& b) { return {base::FileId(0u), a.begin, b.end}; }

    // Steps up to a closing brace or the end, as one sequence.
    void block_body() {
        Token first = position_ < tokens_.size() ? tokens_[position_] : Token{"", 0, 0};
        builder_->open(model::NodeKind::sequence, span(first, first));
        while (position_ < tokens_.size() && !next_is("}")) {
            if (next_is(";"))
                take();
            else
                step();
        }
        builder_->close();
    }
    void block() {
        expect("{");
        block_body();
        expect("}");
    }
    void blocks() {
        while (next_is("{")) block();
        builder_->close();
    }
    model::RoleId role() {
        Token t = take();
        return t.text == "-" ? model::RoleId() : spec_->alphabet->role(t.text);
    }

    void step() {
        if (next_is("{")) return block();
        Token first = take();
        base::Span here = span(first, first);
        if (first.text == "0") return;
        if (first.text == "ch") return builder_->open_choice(here, role()), blocks();
        if (first.text == "rep") return builder_->open_repeat(here, role()), blocks();
        if (first.text == "par") return builder_->open(model::NodeKind::parallel, here), blocks();
        if (first.text == "try") return builder_->open(model::NodeKind::interrupt, here), blocks();
        if (first.text == "rec") {
            std::string name = take().text;
            model::LoopId loop = builder_->loop(name);
            loops_[name] = loop;
            return builder_->open_recursion(here, loop), blocks();
        }
        if (first.text == "cont") return static_cast<void>(builder_->jump(here, loops_.at(take().text)));
        if (first.text == "sig")
            return static_cast<void>(builder_->signal(here, builder_->semaphore(take().text)));
        if (first.text == "wait")
            return static_cast<void>(builder_->wait(here, builder_->semaphore(take().text)));
        expect("->");
        Token to = take();
        expect(":");
        Token message = take();
        model::Alphabet& alphabet = *spec_->alphabet;
        builder_->interaction(span(first, message), alphabet.role(first.text), alphabet.role(to.text),
                              alphabet.message(message.text));
    }

    std::string text_;
    std::shared_ptr<model::Specification> spec_;
    std::vector<Token> tokens_;
    std::size_t position_ = 0;
    std::unique_ptr<model::ProtocolBuilder> builder_;
    std::map<std::string, model::LoopId> loops_;
};

inline TestProtocol read(std::string text) {
    return NotationReader(std::move(text)).read();
}

// A protocol in the notation, for messages of failing tests.
inline std::string write(const model::Specification& spec, const model::Protocol& p,
                         model::NodeId id = model::NodeId(0u)) {
    const model::Node& n = p[id];
    auto name = [&](model::RoleId r) { return r ? std::string(spec.alphabet->name(r)) : std::string("-"); };
    auto blocks = [&] {
        std::string text;
        for (model::NodeId child : p.children(id)) text += " { " + write(spec, p, child) + " }";
        return text;
    };
    using model::NodeKind;
    switch (n.kind) {
        case NodeKind::sequence: {
            std::string text;
            for (model::NodeId child : p.children(id)) {
                std::string part = write(spec, p, child);
                if (p[child].kind == NodeKind::sequence) part = "{ " + part + " }";
                text += (text.empty() ? "" : " ; ") + part;
            }
            return text.empty() ? "0" : text;
        }
        case NodeKind::interaction:
            return name(n.role) + "->" + name(n.to) + ":" + std::string(spec.alphabet->name(n.message));
        case NodeKind::choice: return "ch " + name(n.role) + blocks();
        case NodeKind::parallel: return "par" + blocks();
        case NodeKind::repeat: return "rep " + name(n.role) + blocks();
        case NodeKind::recursion: return "rec " + std::string(p.loop_name(n.loop)) + blocks();
        case NodeKind::jump: return "cont " + std::string(p.loop_name(n.loop));
        case NodeKind::interrupt: return "try" + blocks();
        case NodeKind::signal: return "sig " + std::string(p.semaphore_name(n.semaphore));
        case NodeKind::wait: return "wait " + std::string(p.semaphore_name(n.semaphore));
        default: return std::string(model::to_string(n.kind)) + blocks();
    }
}

}  // namespace treaty::choreo::testing
