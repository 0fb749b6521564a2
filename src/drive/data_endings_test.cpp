// Conversations whose end depends on data: on earlier values, or on their sum (roles/end_paths.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/testing/seeds.h"
#include "drive/tester.h"
#include "drive/testing/playing.h"

namespace treaty::drive {
namespace {

using base::SeededRandom;
using expr::ExprId;
using expr::Op;

// A limit is sent first, by the client or, through it, by a helper. Then the client may go round a loop, and
// may leave it only with data that suits the limit and what it has sent so far. From everywhere there is a
// way to the end.
class DataExit {
public:
    static constexpr std::uint32_t kinds = 8;

    DataExit(std::uint32_t kind, std::uint64_t seed) : random_(seed) {
        client_ = spec.alphabet->role("client"), server_ = spec.alphabet->role("server");
        helper_ = spec.alphabet->role("helper");
        std::vector<model::RoleId> roles{client_, server_};
        bool helped = random_.percent(50);
        if (helped) roles.push_back(helper_);
        model::ProtocolBuilder builder("Exit", {}, roles);
        builder.open(model::NodeKind::sequence, {});
        std::int64_t most = kind == size_below || kind == sum_reached || kind == rounds ? 8 : 100'000;
        if (kind == size_is) most = 200;
        n_ = variable("n", spec.types->integer(1, most));
        model::MessageId limit = message("limit", {spec.types->integer(1, most)});
        model::MessageId told = message("told", {spec.types->integer(1, most)});
        builder.interaction({}, helped ? helper_ : client_, helped ? client_ : server_, limit,
                            {{n_, {}, {}}});
        if (helped) builder.interaction({}, client_, server_, told, {{{}, var(n_), {}}});
        sum_ = variable("sum", spec.types->integer());
        builder.assign({}, sum_, spec.pool->integer(0));
        body(builder, kind);
        builder.close();
        protocol = builder.finish();
        EXPECT_TRUE(protocol) << builder.fault();
        spec.messages.resize(spec.alphabet->message_count());
        for (model::RoleId role : roles)
            if (role != server_) names[role] = spec.alphabet->name(role);
        // The helper sends nothing to the server: nobody meets it.
        part = std::move(*roles::RolePart::make(spec, *protocol, server_, {client_}, ""));
    }

    model::Specification spec;
    std::optional<model::Protocol> protocol;
    std::map<model::RoleId, std::string> names;
    std::unique_ptr<roles::RolePart> part;

private:
    enum Kind : std::uint32_t {
        sum_of_two,
        size_below,
        size_is,
        sum_reached,
        rounds,
        guess,
        difference,
        in_two_steps
    };

    expr::VarId variable(const char* name, expr::TypeId type) {
        return spec.pool->declare(spec.names->intern(name), type);
    }
    ExprId var(expr::VarId v) { return spec.pool->var(v); }
    ExprId make(Op op, expr::TypeId type, ExprId a, ExprId b) {
        return spec.pool->make(op, type, std::array{a, b});
    }
    ExprId sum_of(ExprId a, ExprId b) { return make(Op::add, spec.types->integer(), a, b); }
    ExprId compare(Op op, ExprId a, ExprId b) { return make(op, spec.types->boolean(), a, b); }
    ExprId size_of(expr::VarId v) {
        return spec.pool->make(Op::size, spec.types->integer(), std::array{var(v)});
    }

    model::MessageId message(const char* name, std::vector<expr::TypeId> fields = {}) {
        model::MessageId id = spec.alphabet->message(name);
        spec.messages.resize(spec.alphabet->message_count());
        for (std::size_t i = 0; i < fields.size(); ++i)
            spec.messages[id.index].fields.push_back({spec.names->intern(fmt::format("f{}", i)), fields[i]});
        return id;
    }

    void answer(model::ProtocolBuilder& builder, const char* name) {
        builder.interaction({}, server_, client_, message(name));
    }
    void add_some(model::ProtocolBuilder& builder) {
        expr::TypeId small = spec.types->integer(0, 3);
        expr::VarId k = variable("k", small);
        builder.interaction({}, client_, server_, message("add", {small}), {{k, {}, {}}});
        builder.assign({}, sum_, sum_of(var(sum_), var(k)));
        answer(builder, "ok");
    }

    void body(model::ProtocolBuilder& builder, std::uint32_t kind) {
        if (kind == rounds) {
            builder.open_while({}, compare(Op::less, var(sum_), var(n_)));
            builder.open(model::NodeKind::sequence, {});
            add_some(builder);
            builder.close();
            builder.close();
            builder.interaction({}, client_, server_, message("quit"));
            return;
        }
        model::LoopId loop = builder.loop("again");
        builder.open_recursion({}, loop);
        builder.open(model::NodeKind::sequence, {});
        if (kind == guess)
            guessing(builder, loop);
        else if (kind == in_two_steps)
            in_steps(builder, loop);
        else
            choosing(builder, loop, kind);
        builder.close();
        builder.close();
    }

    void guessing(model::ProtocolBuilder& builder, model::LoopId loop) {
        expr::VarId g = variable("g", spec.types->integer());
        builder.interaction({}, client_, server_, message("guess", {spec.types->integer()}), {{g, {}, {}}});
        builder.open_conditional({}, compare(Op::equal, var(g), var(n_)));
        builder.open(model::NodeKind::sequence, {});
        answer(builder, "right");
        builder.close();
        builder.open(model::NodeKind::sequence, {});
        answer(builder, "wrong");
        builder.jump({}, loop);
        builder.close();
        builder.close();
    }

    // What is sent first decides whether the second step is possible.
    void in_steps(model::ProtocolBuilder& builder, model::LoopId loop) {
        expr::TypeId number = spec.types->integer(), few = spec.types->integer(0, 3);
        expr::VarId p = variable("p", number), q = variable("q", few);
        builder.interaction({}, client_, server_, message("first", {number}), {{p, {}, {}}});
        answer(builder, "ok");
        builder.open_choice({}, client_);
        builder.open(model::NodeKind::sequence, {});
        builder.interaction({}, client_, server_, message("again"));
        builder.jump({}, loop);
        builder.close();
        builder.open(model::NodeKind::sequence, {});
        ExprId three_of_n = sum_of(var(n_), sum_of(var(n_), var(n_)));
        builder.interaction({}, client_, server_, message("second", {few}), {{q, {}, {}}},
                            compare(Op::equal, var(p), sum_of(three_of_n, var(q))));
        builder.close();
        builder.close();
    }

    void choosing(model::ProtocolBuilder& builder, model::LoopId loop, std::uint32_t kind) {
        builder.open_choice({}, client_);
        if (random_.percent(50)) {
            builder.open(model::NodeKind::sequence, {});
            builder.interaction({}, client_, server_, message("noise"));
            answer(builder, "ignored");
            builder.jump({}, loop);
            builder.close();
        }
        builder.open(model::NodeKind::sequence, {});
        add_some(builder);
        builder.jump({}, loop);
        builder.close();
        builder.open(model::NodeKind::sequence, {});
        last(builder, kind);
        builder.close();
        builder.close();
    }

    void last(model::ProtocolBuilder& builder, std::uint32_t kind) {
        bool sized = kind == size_below || kind == size_is;
        expr::TypeId type = sized ? spec.types->bytes() : spec.types->integer(0, 200'000);
        expr::VarId p = variable("p", type), q = variable("q", type);
        ExprId where;
        switch (kind) {
            case sum_of_two: where = compare(Op::equal, sum_of(var(p), var(q)), var(n_)); break;
            case size_below: where = compare(Op::less, sum_of(size_of(p), size_of(q)), var(n_)); break;
            case size_is: where = compare(Op::equal, sum_of(size_of(p), size_of(q)), var(n_)); break;
            case sum_reached:
                where = make(Op::logical_and, spec.types->boolean(),
                             compare(Op::greater_equal, var(sum_), sum_of(var(n_), spec.pool->integer(4))),
                             compare(Op::equal, var(p), var(q)));
                break;
            default: where = compare(Op::equal, var(p), sum_of(sum_of(var(q), var(n_)), var(sum_)));
        }
        builder.interaction({}, client_, server_, message("last", {type, type}), {{p, {}, {}}, {q, {}, {}}},
                            where);
        answer(builder, "bye");
    }

    SeededRandom random_;
    model::RoleId client_, server_, helper_;
    expr::VarId n_, sum_;
};

TEST(DataEndings, ConversationsWhoseEndDependsOnDataComplete) {
    for (std::uint32_t kind = 0; kind < DataExit::kinds; ++kind) {
        std::size_t unfinished = 0, sessions = 0;
        std::string obstacle;
        for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(12); ++seed) {
            SCOPED_TRACE(fmt::format("kind {} seed {}", kind, seed));
            DataExit exit(kind, seed);
            ASSERT_TRUE(exit.part);
            const roles::RolePart& part = *exit.part;
            testing::Diary diary;
            SessionOptions options;
            options.length = 8;
            Tester tester(std::move(exit.part),
                          make_in_process_stage(testing::component_of(part, seed, diary), exit.names),
                          options);
            for (std::uint64_t session = 0; session < 3; ++session) {
                SessionResult outcome = tester.run(seed * 10 + session);
                ASSERT_EQ(outcome.verdict, Verdict::pass) << outcome.reason;
                ++sessions;
                unfinished += !outcome.completed;
                if (!outcome.completed) obstacle = outcome.obstacle;
            }
        }
        EXPECT_EQ(unfinished, 0u) << "kind " << kind << " of " << sessions << ": " << obstacle;
    }
}

}  // namespace
}  // namespace treaty::drive
