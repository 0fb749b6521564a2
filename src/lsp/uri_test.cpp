#include "lsp/uri.h"

#include <gtest/gtest.h>

namespace treaty::lsp {
namespace {

TEST(Uri, FilesAreDecodedAndNormalised) {
    EXPECT_EQ(path_of("file:///a/b%20c.treaty"), "/a/b c.treaty");
    EXPECT_EQ(path_of("file://localhost/a/../b.gc"), "/b.gc");
    EXPECT_EQ(path_of("file:///%C3%A9.treaty"), "/é.treaty");
    EXPECT_EQ(path_of("file:///100%.treaty"), "/100%.treaty");
}

TEST(Uri, ATextWithoutAFileKeepsItsAddress) {
    EXPECT_EQ(path_of("untitled:Untitled-1"), "untitled:Untitled-1.treaty");
    EXPECT_EQ(path_of("git:/a/b.treaty"), "git:/a/b.treaty");
    EXPECT_EQ(uri_of("git:/a/b.treaty"), "git:/a/b.treaty");
}

TEST(Uri, PathsAndAddressesAreInverses) {
    for (std::string path : {"/a/b c.treaty", "/é/中.gc", "/100%.treaty", "/a#b?c.treaty"})
        EXPECT_EQ(path_of(uri_of(path)), path);
    EXPECT_EQ(uri_of("/a b"), "file:///a%20b");
}

}  // namespace
}  // namespace treaty::lsp
