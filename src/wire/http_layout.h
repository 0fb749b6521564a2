// One layout of an HTTP message, ready to be read and written. Internal to wire/.
//
// Written, the message has one form: the headers of the layout in their order, then Content-Type if there is
// a body and the layout does not give it, then the length. A request whose layout does not give the host has
// `Host: localhost`. Read, headers may be in any order and in any case, and others may be there; parameters
// may be in any order; escapes in the URL that are not needed are understood.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wire/engine.h"
#include "wire/http_text.h"
#include "wire/json_layout.h"
#include "wire/layout_choice.h"

namespace treaty::wire {

class HttpLayout {
public:
    // layout must outlive it.
    HttpLayout(const expr::Pool& pool, const Layout& layout);

    MessageIndex message() const { return layout_->message.index; }
    bool complete() const { return request_ || status_; }
    // mismatch: null if the reason is not needed.
    bool match(const HttpHead& head, std::string_view window, std::string_view body, const Limits& limits,
               std::span<expr::Value> values, Mismatch* mismatch) const;
    std::optional<EncodeFault> encode(std::span<const expr::Value> values, std::string& out) const;

private:
    using Template = model::forms::Template;
    using Parameters = std::vector<model::forms::Parameter>;
    struct Reading;

    bool match_path(Reading& r, std::string_view path) const;
    bool match_parameters(Reading& r, std::string_view text, const Parameters& parameters, bool open,
                          unsigned progress, std::string_view what) const;
    bool match_headers(Reading& r, const HttpHead& head) const;
    bool match_body(Reading& r, std::string_view body, const Limits& limits) const;
    bool take(Reading& r, const Template& parts, std::string_view text, std::string& why) const;
    bool store(Reading& r, expr::VarId variable, std::string_view text, std::string& why) const;
    void absent(Reading& r, const Template& parts) const;
    bool may_be_absent(const Template& parts) const;

    std::uint32_t field_of(expr::VarId variable) const;
    std::optional<EncodeFault> append(const Template& parts, std::span<const expr::Value> values,
                                      bool percent, std::string& out) const;
    std::optional<EncodeFault> append_path(std::span<const expr::Value> values, std::string& out) const;
    std::optional<EncodeFault> append_parameters(const Parameters& parameters,
                                                 std::span<const expr::Value> values, std::string& out) const;
    std::optional<EncodeFault> append_body(std::span<const expr::Value> values, std::string& out,
                                           std::string_view& type) const;

    const expr::Pool* pool_;
    const Layout* layout_;
    const model::forms::HttpRequest* request_ = nullptr;
    const model::forms::HttpStatus* status_ = nullptr;
    std::vector<const model::forms::HttpHeader*> headers_;
    const model::Item* body_ = nullptr;  // none: no body
    std::vector<Template> segments_;     // of the path, after its first slash
    std::optional<JsonLayout> json_;
};

}  // namespace treaty::wire
