// Reading .proto files with the compiler library of protobuf. Its headers are included here and nowhere else.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/unknown_field_set.h>

#include "base/escape.h"
#include "formats/codes.h"
#include "formats/proto/schema.h"

namespace treaty::formats::proto {
namespace {

namespace pb = google::protobuf;

constexpr std::size_t most_bytes = std::size_t{1} << 20;  // of a file
constexpr std::size_t most_files = 100;
constexpr std::size_t deepest = 64;  // braces and brackets inside one another, for the parser of protobuf
constexpr std::size_t most_folders = 10;  // above that of the file, for imports
constexpr std::size_t most_nested = 30;   // messages inside one another

// A file without a `syntax` is proto2; protobuf would write a warning. As long as three tabs are wide.
constexpr std::string_view syntax_line = "syntax = \"proto2\";      ";

// What is not in a comment or a string, one character after the other.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    // The next character that is not blank; 0 at the end.
    char next() {
        while (at_ < text_.size()) {
            char c = text_[at_];
            if (c == '/' && text_.substr(at_, 2) == "//") {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (c == '/' && text_.substr(at_, 2) == "/*") {
                at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
            } else if (c == '"' || c == '\'') {
                skip_string(c);
                return '"';
            } else {
                ++at_;
                if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return c;
            }
        }
        return 0;
    }
    std::size_t offset() const { return at_; }

private:
    void skip_string(char quote) {
        for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
            if (text_[at_] == '\\') ++at_;
        at_ = std::min(at_ + 1, text_.size());
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

bool states_syntax(std::string_view text) {
    Scanner scanner(text);
    if (scanner.next() != 's') return false;
    std::string_view word = text.substr(scanner.offset() - 1);
    word = word.substr(
        0, word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
    return word == "syntax";
}

bool is_too_deep(std::string_view text) {
    Scanner scanner(text);
    std::size_t depth = 0;
    while (char c = scanner.next()) {
        if (c == '{' || c == '[' || c == '(') ++depth;
        if ((c == '}' || c == ']' || c == ')') && depth > 0) --depth;
        if (depth > deepest) return true;
    }
    return false;
}

// The file and those beside it.
class Files final : public pb::compiler::SourceTree {
public:
    explicit Files(const Loading& loading)
        : loading_(loading),
          main_(loading.sources.path(loading.file)),
          main_name_(main_.filename().string()) {
        files_[main_name_] = {loading.file, 0};
    }

    const std::string& main_name() const { return main_name_; }

    pb::io::ZeroCopyInputStream* Open(const std::string& name) override {
        auto known = files_.find(name);
        if (known == files_.end() && !load(name)) return nullptr;
        Entry& entry = files_.at(name);
        std::string_view text = loading_.sources.text(entry.file);
        if (text.size() > most_bytes || is_too_deep(text)) {
            fault_ = text.size() > most_bytes
                         ? "the file is larger than a MiB"
                         : fmt::format("braces are nested deeper than {} levels", deepest);
            return nullptr;
        }
        entry.text = states_syntax(text) ? std::string(text) : std::string(syntax_line) + std::string(text);
        entry.shift = entry.text.size() - text.size();
        return new pb::io::ArrayInputStream(entry.text.data(), static_cast<int>(entry.text.size()));
    }
    std::string GetLastErrorMessage() override { return fault_; }

    // Lines and columns from 0; a tab is as wide as to the next multiple of 8.
    base::Span span(const std::string& name, int line, int column, int end_column = -1) const {
        auto found = files_.find(name);
        if (found == files_.end()) return {loading_.file, 0, 0};
        base::FileId file = found->second.file;
        if (line < 0) return {file, 0, 0};
        int shift = line == 0 ? static_cast<int>(found->second.shift) : 0;
        std::string_view all = loading_.sources.text(file);
        std::string_view text = loading_.sources.line(file, static_cast<std::uint32_t>(line) + 1);
        auto start = static_cast<std::uint32_t>(text.data() - all.data());
        std::uint32_t begin = start + offset(text, column - shift);
        std::uint32_t end = end_column < 0 ? begin : start + offset(text, end_column - shift);
        return {file, begin, std::max(begin, end)};
    }

private:
    struct Entry {
        base::FileId file;
        std::size_t shift = 0;  // columns that were put before the first line
        std::string text = {};
    };

    static std::uint32_t offset(std::string_view line, int column) {
        std::uint32_t at = 0;
        for (int c = 0; c < column && at < line.size(); ++at) c = line[at] == '\t' ? c / 8 * 8 + 8 : c + 1;
        return at;
    }

    // An import names a file from the folder of the file that is read, or from one above it.
    bool load(const std::string& name) {
        if (files_.size() >= most_files) {
            fault_ = fmt::format("more than {} files are imported", most_files);
            return false;
        }
        std::filesystem::path folder = main_.parent_path();
        for (std::size_t k = 0; k < most_folders; ++k) {
            std::string path = (folder / name).lexically_normal().string();
            if (base::Result<std::string> text = loading_.read_file(path)) {
                base::FileId file = loading_.sources.add(path, std::move(*text));
                if (loading_.files) loading_.files->push_back(file);
                files_[name] = {file, 0};
                return true;
            } else if (k == 0) {
                fault_ = text.error();
            }
            if (folder.empty() || folder == folder.parent_path()) break;
            folder = folder.parent_path();
        }
        return false;
    }

    const Loading& loading_;
    std::filesystem::path main_;
    std::string main_name_;
    std::map<std::string, Entry> files_;
    std::string fault_;
};

class Faults final : public pb::compiler::MultiFileErrorCollector {
public:
    Faults(const Files& files, base::Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

    void AddError(const std::string& name, int line, int column, const std::string& message) override {
        std::string text = message;
        while (!text.empty() && (text.back() == '.' || text.back() == '\n')) text.pop_back();
        // A file that cannot be opened: reported where it is imported.
        if (line < 0 && name != files_.main_name()) {
            unopened_[name] = std::move(text);
            return;
        }
        for (const auto& [file, why] : unopened_)
            if (text.starts_with(fmt::format("Import \"{}\" was not found", file))) text = why;
        diagnostics_.report(codes::proto_syntax, files_.span(name, line, column), std::move(text));
    }

private:
    const Files& files_;
    base::Diagnostics& diagnostics_;
    std::map<std::string, std::string> unopened_;  // and why
};

class Converter {
public:
    Converter(const Loading& loading, const Files& files, const pb::DescriptorPool& pool)
        : diagnostics_(loading.diagnostics), files_(files), pool_(pool) {}

    Schema run(const pb::FileDescriptor& file) {
        schema_.package = file.package();
        custom_options(file, file.options(), {}, file.name());
        for (int i = 0; i < file.service_count(); ++i) service(*file.service(i));
        for (int i = 0; i < file.message_type_count(); ++i)
            if (const Message* m = message(*file.message_type(i))) schema_.own.push_back(m);
        for (int i = 0; i < file.extension_count(); ++i)
            left_out(span_of(*file.extension(i)),
                     fmt::format("the extension `{}`", file.extension(i)->name()));
        return std::move(schema_);
    }

private:
    template <class Descriptor>
    base::Span span_of(const Descriptor& d) const {
        pb::SourceLocation at;
        if (!d.GetSourceLocation(&at)) return files_.span(files_.main_name(), -1, 0);
        return files_.span(d.file()->name(), at.start_line, at.start_column,
                           at.end_line == at.start_line ? at.end_column : -1);
    }

    void left_out(base::Span span, std::string_view what) {
        diagnostics_.report(codes::document_left_out, span, fmt::format("{} is left out", what));
    }
    void unsupported(base::Span span, std::string what) {
        diagnostics_.report(codes::proto_unsupported, span, std::move(what));
    }

    // Options that protobuf itself has concern programs that are generated, not what they send.
    template <class Descriptor, class Options>
    void custom_options(const Descriptor&, const Options& options, base::Span span, const std::string& of) {
        const pb::UnknownFieldSet& fields = options.unknown_fields();
        std::vector<std::string> names;
        for (int i = 0; i < fields.field_count(); ++i) {
            const pb::Descriptor* type = pool_.FindMessageTypeByName(Options::descriptor()->full_name());
            const pb::FieldDescriptor* option =
                type ? pool_.FindExtensionByNumber(type, fields.field(i).number()) : nullptr;
            std::string name = option ? option->full_name() : fmt::format("{}", fields.field(i).number());
            if (std::find(names.begin(), names.end(), name) != names.end()) continue;
            names.push_back(name);
            left_out(span, fmt::format("the option `({})` of `{}`", name, of));
        }
    }

    std::string name_of(std::string_view full_name, const std::string& package) const {
        if (!package.empty() && full_name.starts_with(package + "."))
            full_name.remove_prefix(package.size() + 1);
        return std::string(full_name);
    }

    void service(const pb::ServiceDescriptor& s) {
        Service out;
        out.name = s.name();
        out.span = span_of(s);
        custom_options(s, s.options(), out.span, s.name());
        for (int i = 0; i < s.method_count(); ++i) {
            const pb::MethodDescriptor& m = *s.method(i);
            Method method;
            method.name = m.name();
            method.path = fmt::format("/{}/{}", s.full_name(), m.name());
            method.span = span_of(m);
            custom_options(m, m.options(), method.span, m.name());
            method.request = message(*m.input_type());
            method.reply = message(*m.output_type());
            method.client_streams = m.client_streaming();
            method.server_streams = m.server_streaming();
            if (method.request && method.reply) out.methods.push_back(std::move(method));
        }
        schema_.services.push_back(std::move(out));
    }

    // Null if it cannot be read, which is reported once.
    const Message* message(const pb::Descriptor& d) {
        auto [known, fresh] = messages_.try_emplace(&d, nullptr);
        if (!fresh) return known->second;
        base::Span span = span_of(d);
        if (d.options().message_set_wire_format()) {
            unsupported(span,
                        fmt::format("`{}` is a message set, whose encoding is not supported", d.name()));
            return nullptr;
        }
        Message out;
        out.name = name_of(d.full_name(), d.file()->package());
        out.span = span;
        out.outermost = !d.containing_type();
        custom_options(d, d.options(), span, d.name());
        for (int i = 0; i < d.extension_count(); ++i)
            left_out(span_of(*d.extension(i)), fmt::format("the extension `{}`", d.extension(i)->name()));
        if (d.extension_range_count() > 0)
            left_out(span, fmt::format("the range of extensions of `{}`", d.name()));
        open_.push_back(&d);
        for (int i = 0; i < d.field_count(); ++i)
            if (auto f = field(*d.field(i))) {
                out.size += 1 + (f->message ? f->message->size : 0) +
                            (f->enumeration ? f->enumeration->members.size() : 0);
                if (f->message) out.depth = std::max(out.depth, f->message->depth + 1);
                out.fields.push_back(std::move(*f));
            }
        open_.pop_back();
        if (out.size > most_fields || out.depth > most_nested) {
            diagnostics_.report(codes::proto_too_large, span,
                                fmt::format("`{}` has more than {} fields in all the messages inside it, or "
                                            "they are nested deeper than {} levels",
                                            d.name(), most_fields, most_nested));
            return nullptr;
        }
        schema_.messages.push_back(std::move(out));
        return messages_[&d] = &schema_.messages.back();
    }

    std::optional<Field> field(const pb::FieldDescriptor& f) {
        base::Span span = span_of(f);
        auto skip = [&](std::string_view why) -> std::optional<Field> {
            if (f.is_required())
                unsupported(span, fmt::format("`{}` {}, and is required", f.name(), why));
            else
                left_out(span, fmt::format("`{}` {}; it", f.name(), why));
            return std::nullopt;
        };
        Field out;
        out.name = f.name();
        out.number = f.number();
        const pb::FieldDescriptor* value = &f;
        if (f.is_map()) {
            value = f.message_type()->map_value();
            out.key = f.message_type()->map_key()->type_name();
        }
        if (value->type() == pb::FieldDescriptor::TYPE_GROUP)
            return skip("is a group, which is not supported");
        out.kind = value->type_name();
        if (value->type() == pb::FieldDescriptor::TYPE_MESSAGE) {
            const pb::Descriptor* inner = value->message_type();
            if (std::find(open_.begin(), open_.end(), inner) != open_.end())
                return skip(fmt::format("is of `{}`, which so contains itself", inner->name()));
            out.message = message(*inner);
            if (!out.message) return std::nullopt;  // reported where it is
        }
        if (value->type() == pb::FieldDescriptor::TYPE_ENUM)
            out.enumeration = enumeration(*value->enum_type());
        custom_options(f, f.options(), span, f.name());
        out.presence = f.is_map()         ? Field::Presence::map
                       : f.is_repeated()  ? Field::Presence::repeated
                       : f.is_required()  ? Field::Presence::required
                       : f.has_presence() ? Field::Presence::optional
                                          : Field::Presence::plain;
        out.expanded = f.is_packable() && !f.is_packed();
        if (f.real_containing_oneof()) out.oneof = f.real_containing_oneof()->index();
        if (f.has_default_value()) out.default_value = default_of(f);
        return out;
    }

    static std::string default_of(const pb::FieldDescriptor& f) {
        switch (f.cpp_type()) {
            case pb::FieldDescriptor::CPPTYPE_INT32: return fmt::format("{}", f.default_value_int32());
            case pb::FieldDescriptor::CPPTYPE_INT64: return fmt::format("{}", f.default_value_int64());
            case pb::FieldDescriptor::CPPTYPE_UINT32: return fmt::format("{}", f.default_value_uint32());
            case pb::FieldDescriptor::CPPTYPE_UINT64: return fmt::format("{}", f.default_value_uint64());
            case pb::FieldDescriptor::CPPTYPE_DOUBLE: return fmt::format("{}", f.default_value_double());
            case pb::FieldDescriptor::CPPTYPE_FLOAT: return fmt::format("{}", f.default_value_float());
            case pb::FieldDescriptor::CPPTYPE_BOOL: return f.default_value_bool() ? "true" : "false";
            case pb::FieldDescriptor::CPPTYPE_ENUM: return f.default_value_enum()->name();
            case pb::FieldDescriptor::CPPTYPE_STRING:
                return fmt::format("\"{}\"", base::escaped(f.default_value_string()));
            default: return {};
        }
    }

    const Enumeration* enumeration(const pb::EnumDescriptor& e) {
        auto [known, fresh] = enumerations_.try_emplace(&e, nullptr);
        if (!fresh) return known->second;
        Enumeration out;
        out.name = name_of(e.full_name(), e.file()->package());
        out.closed = e.file()->syntax() == pb::FileDescriptor::SYNTAX_PROTO2;
        custom_options(e, e.options(), span_of(e), e.name());
        for (int i = 0; i < e.value_count(); ++i) {
            const pb::EnumValueDescriptor& v = *e.value(i);
            auto same = std::find_if(out.members.begin(), out.members.end(),
                                     [&](const auto& m) { return m.second == v.number(); });
            if (same == out.members.end())
                out.members.emplace_back(v.name(), v.number());
            else
                left_out(span_of(v), fmt::format("`{}` has the number of `{}`, which stands for both; it",
                                                 v.name(), same->first));
        }
        schema_.enumerations.push_back(std::move(out));
        return known->second = &schema_.enumerations.back();
    }

    base::Diagnostics& diagnostics_;
    const Files& files_;
    const pb::DescriptorPool& pool_;
    Schema schema_;
    std::map<const pb::Descriptor*, const Message*> messages_;
    std::map<const pb::EnumDescriptor*, const Enumeration*> enumerations_;
    std::vector<const pb::Descriptor*> open_;  // those being read
};

}  // namespace

std::optional<Schema> read_schema(const Loading& loading) {
    std::size_t errors = loading.diagnostics.errors();
    Files files(loading);
    Faults faults(files, loading.diagnostics);
    // What protobuf itself declares: google/protobuf/timestamp.proto and the like.
    pb::DescriptorPoolDatabase known(*pb::DescriptorPool::generated_pool());
    pb::compiler::SourceTreeDescriptorDatabase database(&files, &known);
    database.RecordErrorsTo(&faults);
    pb::DescriptorPool pool(&database, database.GetValidationErrorCollector());
    const pb::FileDescriptor* file = pool.FindFileByName(files.main_name());
    if (loading.diagnostics.errors() > errors) return std::nullopt;
    if (!file) {
        loading.diagnostics.report(codes::proto_syntax, {loading.file, 0, 0},
                                   "protobuf cannot read this file");
        return std::nullopt;
    }
    Schema schema = Converter(loading, files, pool).run(*file);
    if (loading.diagnostics.errors() > errors) return std::nullopt;
    return schema;
}

}  // namespace treaty::formats::proto
