// The parser's inside, shared by parser.cpp (declarations) and parser_expressions.cpp.
#pragma once

#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "csp/codes.h"
#include "csp/parser.h"

namespace treaty::csp {

// The files of one script, so that each is read once.
struct Includes {
    enum class State : std::uint8_t { open, done };
    static constexpr std::size_t max_files = 100;
    static constexpr std::size_t max_bytes = std::size_t(64) << 20;

    base::SourceMap& sources;
    absl::flat_hash_map<std::string, State> files = {};
    std::size_t bytes = 0;

    // A module's text between its head and `endmodule`, for each instance to be read again.
    struct Module {
        base::FileId file;
        std::vector<Token> parameters;
        std::vector<Token> body;  // ends with an end
    };
    static constexpr std::size_t max_module_tokens = 2'000'000;  // of all instances together
    static constexpr int max_module_depth = 20;

    absl::flat_hash_map<std::string, Module> modules = {};
    std::size_t module_tokens = 0;
    int module_depth = 0;
};

class Parser {
public:
    Parser(Includes& includes, base::FileId file, base::Diagnostics& diagnostics, Syntax& syntax)
        : includes_(includes),
          file_(file),
          text_(includes.sources.text(file)),
          diagnostics_(diagnostics),
          syntax_(syntax),
          tokens_(tokens_of(includes.sources, file, diagnostics)) {}

    // The body of a module.
    Parser(Includes& includes, const Includes::Module& module, base::Diagnostics& diagnostics, Syntax& syntax)
        : includes_(includes),
          file_(module.file),
          text_(includes.sources.text(module.file)),
          diagnostics_(diagnostics),
          syntax_(syntax),
          tokens_(module.body),
          first_definition_(syntax.global.definitions.size()),
          in_module_(true) {}

    void script();
    AstId lone_expression();

private:
    // Thrown after a fault was reported; caught where reading can go on.
    struct Fault {};
    struct TypeFault {
        base::Span span;
        std::string expected;
    };
    static constexpr int max_type_depth = 100;
    static constexpr int max_depth = 200;
    static constexpr int max_chain = 300;
    static constexpr std::uint32_t max_tree = 2000;  // so that walks over a tree are safe

    // Counts nesting while it lives.
    class Nest {
    public:
        explicit Nest(Parser& parser) : parser_(parser) {
            if (++parser_.depth_ > max_depth) {
                --parser_.depth_;
                parser_.diagnostics_.report(codes::too_large, parser_.peek().span,
                                            fmt::format("nested more than {} deep", max_depth));
                throw Fault{};
            }
        }
        ~Nest() { --parser_.depth_; }
        Nest(const Nest&) = delete;
        Nest& operator=(const Nest&) = delete;

    private:
        Parser& parser_;
    };
    // While it lives `>` closes a sequence, or (inside brackets) compares again.
    class Angles {
    public:
        Angles(Parser& parser, bool closes)
            : parser_(parser), before_(std::exchange(parser.angle_closes_, closes)) {}
        ~Angles() { parser_.angle_closes_ = before_; }
        Angles(const Angles&) = delete;
        Angles& operator=(const Angles&) = delete;

    private:
        Parser& parser_;
        bool before_;
    };

    const Token& peek(std::size_t ahead = 0) const {
        return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
    }
    bool is(std::string_view word) const { return peek().is(word); }
    Token take() {
        Token token = peek();
        if (at_ + 1 < tokens_.size()) ++at_;
        return token;
    }
    bool accept(std::string_view word) {
        if (!is(word)) return false;
        take();
        return true;
    }
    Token expect(std::string_view word);
    Token expect_name(std::string_view what);
    [[noreturn]] void fail(std::string_view wanted);
    [[noreturn]] void unsupported(const Token& at, std::string_view what);
    AstId make(Ast kind, base::Span span, std::vector<AstId> kids = {}, Op op = Op::none,
               std::int64_t number = 0);
    base::Span from(base::Span begin) const {
        return base::cover(begin, tokens_[at_ > 0 ? at_ - 1 : 0].span);
    }
    base::NameId name_of(const Token& token) { return syntax_.names.intern(token.text); }

    // declarations
    void declaration();
    std::string words(std::size_t ahead) const;
    [[noreturn]] void option(std::size_t ahead);
    static std::string model_name(std::string_view letters);
    void channels();
    void datatype(bool subtype);
    void nametype();
    void transparent();
    void include();
    void print();
    void timed();
    void module();
    void instance();
    void instantiate(const Token& name, const Includes::Module& module, const std::vector<AstId>& arguments);
    void definition(Declarations& into);
    void pattern_definition(Declarations& into);
    void names_in(AstId pattern, std::vector<AstId>& into) const;
    bool several_annotated() const;
    void annotation(Declarations& into, const std::vector<Token>& names);
    TypeNodeId type(int depth);
    TypeNodeId dotted_type(int depth);
    TypeNodeId simple_type(int depth);
    TypeNodeId type_node(TypeNode::Kind kind, base::Span begin, std::vector<TypeNodeId> parts);
    void needs(Annotation& annotation);
    bool at_need(std::size_t ahead) const;
    bool arrow_ahead() const { return is("=") && peek(1).is(">"); }
    void expect_in_type(std::string_view word);
    void close_sequence_type();
    void assertion();
    void property(Assertion& assertion);
    std::string_view model_in_brackets(Assertion& assertion);
    void recover();

    // expressions
    AstId expression() { return process(1); }
    AstId process(int least);
    AstId prefixed();
    AstId communication(AstId channel, std::vector<AstId>& chosen);
    AstId selection(const Token& sign, const std::vector<AstId>& fields, std::vector<AstId>& chosen);
    AstId links();
    bool linked_ahead() const;
    AstId dotted();
    AstId value(int least);
    bool sequence_defined_ahead() const;
    AstId unary();
    AstId postfix();
    AstId renaming(AstId of);
    AstId primary();
    AstId bracketed(const Token& open);
    AstId sequence(const Token& open);
    AstId set(const Token& open);
    AstId productions(const Token& open);
    AstId number(const Token& token);
    AstId text(const Token& token);
    AstId conditional(const Token& open);
    AstId let(const Token& open);
    AstId lambda(const Token& open);
    AstId replicated(const Token& open);
    AstId binary_process(AstId left, const Token& op, int level);
    void check_chain(int operands);
    AstId qualifier();
    void qualifiers(std::vector<AstId>& into);
    std::vector<AstId> list(std::string_view close);
    static int process_level(const Token& token);
    int value_level(const Token& token, Op& op) const;

    Includes& includes_;
    base::FileId file_;
    std::string_view text_;
    base::Diagnostics& diagnostics_;
    Syntax& syntax_;
    std::vector<Token> tokens_;
    std::size_t first_definition_ = 0;  // clauses never go on with a definition before it
    bool in_module_ = false;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool angle_closes_ = false;
};

}  // namespace treaty::csp
