#include "workbench/gate.h"

#include <set>

#include <gtest/gtest.h>

namespace treaty::workbench {
namespace {

net::Request request(std::string target, std::string host = "127.0.0.1:80", std::string origin = "") {
    net::Request made;
    made.method = "GET";
    made.target = std::move(target);
    made.fields = {{"Host", std::move(host)}};
    if (!origin.empty()) made.fields.push_back({"Origin", std::move(origin)});
    return made;
}

TEST(Gate, AdmitsOnlyWithTheToken) {
    Gate gate("0123456789abcdef", {"127.0.0.1:80"});
    net::Reply refusal;
    EXPECT_EQ(gate.admit(request("/0123456789abcdef/"), refusal), "");
    EXPECT_EQ(gate.admit(request("/0123456789abcdef/app.js?x=/y"), refusal), "app.js");
    for (const char* target : {"/", "", "/0123456789abcdef", "/0123456789abcdeX/", "/0123456789abcde/",
                               "/x/0123456789abcdef/", "//0123456789abcdef/", "/?0123456789abcdef/"}) {
        EXPECT_FALSE(gate.admit(request(target), refusal)) << target;
        EXPECT_EQ(refusal.status, 403u);
    }
}

TEST(Gate, AdmitsOnlyItsOwnPageAndNames) {
    Gate gate("0123456789abcdef", {"127.0.0.1:80", "demo.example"});
    net::Reply refusal;
    std::string page = "/0123456789abcdef/";
    EXPECT_TRUE(gate.admit(request(page, "demo.example", "https://demo.example"), refusal));
    EXPECT_TRUE(gate.admit(request(page, "127.0.0.1:80", "http://127.0.0.1:80"), refusal));
    EXPECT_FALSE(gate.admit(request(page, "evil.example"), refusal));
    EXPECT_FALSE(gate.admit(request(page, "evil.example", "http://evil.example"), refusal));
    EXPECT_FALSE(gate.admit(request(page, "127.0.0.1:80", "http://evil.example"), refusal));
    EXPECT_FALSE(gate.admit(request(page, "127.0.0.1:80", "null"), refusal));
}

TEST(Gate, TokensAreNew) {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) seen.insert(new_token());
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(seen.begin()->size(), 32u);
}

}  // namespace
}  // namespace treaty::workbench
