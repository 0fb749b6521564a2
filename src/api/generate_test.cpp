#include "api/generate.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace treaty::api::generate_test {
namespace {

constexpr const char* sale = R"(
message offer(price: int in 1..1000)
message order(price: int in 1..1000)
protocol Sale(buyer, seller) {
  seller -> buyer: offer(let price)
  choice at buyer {
    buyer -> seller: order(price)
    seller -> buyer: goods
  } or {
    buyer -> seller: leave
  }
}
)";

GenerateAnswer ask(const char* text, GenerateQuestion question, const Context& context = {}) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", text);
    question.file = "p.treaty";
    return generate_code(workspace, question, context);
}

std::string text_of(const GenerateAnswer& answer, std::string_view name) {
    for (const generate::GeneratedFile& file : answer.files)
        if (file.name == name) return file.text;
    return "no file " + std::string(name);
}

std::string code_of(const GenerateAnswer& answer) {
    if (answer.diagnostics.all().empty()) return "";
    return base::to_string(*answer.diagnostics.all().front().code);
}

TEST(Generate, EveryRoleHasAFile) {
    GenerateAnswer answer = ask(sale, {.language = "c++"});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    std::vector<std::string> names;
    for (const auto& file : answer.files) names.push_back(file.name);
    EXPECT_EQ(names, (std::vector<std::string>{"treaty_runtime.hpp", "sale_messages.hpp", "sale_buyer.hpp",
                                               "sale_seller.hpp"}));
}

TEST(Generate, FilesDoNotDependOnTheChoiceOfRoles) {
    for (const char* language : {"c++", "python", "typescript"}) {
        GenerateAnswer all = ask(sale, {.language = language});
        GenerateAnswer one = ask(sale, {.roles = "seller", .language = language});
        ASSERT_EQ(one.files.size(), 3u);
        for (const auto& file : one.files) EXPECT_EQ(file.text, text_of(all, file.name));
    }
}

TEST(Generate, TheConditionOfALaterMessageReadsWhatIsRemembered) {
    std::string seller = text_of(ask(sale, {.language = "python"}), "sale_seller.py");
    EXPECT_NE(seller.find("data.price = m.price"), std::string::npos);
    EXPECT_NE(seller.find("if not rt.holds(lambda: m.price == data.price):"), std::string::npos);
    EXPECT_NE(seller.find("p.treaty:7: buyer -> seller: order(price): requires order.price == price"),
              std::string::npos);
    // The buyer reads no value of an earlier state when it receives the goods, only when it orders.
    std::string buyer = text_of(ask(sale, {.language = "python"}), "sale_buyer.py");
    EXPECT_NE(buyer.find("if not rt.holds(lambda: m.price == data.price):"), std::string::npos);
}

TEST(Generate, NamesOfMessagesAndTypesAreKeptApart) {
    GenerateAnswer answer = ask(R"(
enum Order { small, large }
message Order(order: Order)
protocol P(A, B) {
  A -> B: Order(small)
}
)",
                                {.language = "c++"});
    std::string messages = text_of(answer, "p_messages.hpp");
    EXPECT_NE(messages.find("enum class Order2 { small, large };"), std::string::npos);
    EXPECT_NE(messages.find("messages::Order2 order{};"), std::string::npos);
}

TEST(Generate, DataThatDoesNotDecideIsRefused) {
    constexpr const char* text = R"(
message m(n: int)
protocol P(A, B) {
  choice at A {
    A -> B: m(1)
    B -> A: one
  } or {
    A -> B: m(let n) where n > LOW
    B -> A: more
  }
}
)";
    auto with = [&](std::string low) {
        std::string own = text;
        own.replace(own.find("LOW"), 3, low);
        return ask(own.c_str(), {.language = "c++"});
    };
    EXPECT_EQ(code_of(with("0")), "T2002");
    EXPECT_EQ(code_of(with("1")), "");
}

TEST(Generate, FilesOfAFolderAreCompared) {
    auto folder = std::filesystem::temp_directory_path() / "treaty_generate_test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    GenerateAnswer answer = ask(sale, {.language = "typescript"});
    for (const auto& file : answer.files) std::ofstream(folder / file.name) << file.text;
    GenerateQuestion again{.language = "typescript", .compare_with = folder.string()};
    EXPECT_EQ(ask(sale, again).verdict, Verdict::holds);
    std::ofstream(folder / "sale_buyer.ts") << "changed";
    std::filesystem::remove(folder / "sale_seller.ts");
    GenerateAnswer stale = ask(sale, again);
    EXPECT_EQ(stale.verdict, Verdict::fails);
    EXPECT_EQ(stale.reason, "2 of 4 generated files missing or out of date");
    std::filesystem::remove_all(folder);
}

TEST(Generate, Limits) {
    Context context;
    context.states = 2;
    EXPECT_EQ(ask(sale, {.language = "c++"}, context).verdict, Verdict::undecided);
    std::string many = "protocol P(A, B) {\n  par {\n    A -> B: a0\n    B -> A: b0\n";
    for (int i = 1; i < 7; ++i) many += fmt::format("  }} and {{\n    A -> B: a{0}\n    B -> A: b{0}\n", i);
    many += "  }\n}\n";
    EXPECT_EQ(code_of(ask(many.c_str(), {.language = "c++"})), "T2006");
    EXPECT_EQ(code_of(ask(sale, {.language = "cobol"})), "T2001");
}

}  // namespace
}  // namespace treaty::api::generate_test
