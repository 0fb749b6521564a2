// Reading whole texts: what is accepted, and each mistake by its own code.
#include "lang/read.h"

#include <gtest/gtest.h>

#include "lang/print.h"
#include "lang/testing/reading.h"

namespace treaty::lang {
namespace {

using testing::Reading;

constexpr std::string_view shop = R"(message req(amount: int)
message sell(amount: int)
message info(stock: int)
message resp(stock: int)
message error

protocol Shop(buyer, vendor, warehouse) {
  buyer -> vendor: req(let x)
  if x > 0 {
    vendor -> warehouse: sell(x)
    warehouse -> vendor: info(let y)
    vendor -> buyer: resp(y)
  } else {
    vendor -> buyer: error
  }
}
)";

TEST(Read, AcceptsTheShop) {
    Reading r{std::string(shop)};
    EXPECT_EQ(r.codes(), "");
    ASSERT_TRUE(r.spec);
    EXPECT_EQ(print(*r.spec), shop);
}

TEST(Read, TenMistakesAreTenMessages) {
    Reading r(R"(message req(amount: integer)
message req(amount: int)
protocol Shop(buyer, vendor, warehouse) {
  buyer -> vender: req(let x)
  buyer -> buyer: hello
  vendor -> warehouse: sell(x)
  if x > {
    vendor -> buyer: no
  }
  choice at vendor {
    vendor -> buyer: a
  } or {
    buyer -> vendor: b
  }
  continue again
  vendor -> buyer: price(amount = 3)
  let y = 1 + "two"
  warehouse -> vendor: done where z > 1
  repeat {
    let y = 2
  }
}
)");
    EXPECT_EQ(r.codes(),
              "T0206 1:21\nT0201 2:9\nT0202 4:12\nT0204 5:12\nT0205 6:24\nT0110 7:10\nT0402 13:5\n"
              "T0209 15:12\nT0205 16:20\nT0303 17:13\nT0207 18:35\nT0405 19:3\n");
}

}  // namespace
}  // namespace treaty::lang
