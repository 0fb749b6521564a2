#include "workbench/folder.h"

#include <filesystem>
#include <random>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "workbench/gate.h"

namespace treaty::workbench {
namespace {

namespace fs = std::filesystem;

class FolderTest : public testing::Test {
protected:
    FolderTest() : base_(fs::temp_directory_path() / ("treaty-folder-test-" + new_token())) {
        fs::create_directories(base_ / "inside/sub");
        fs::create_directories(base_ / "outside");
        write(base_ / "inside/a.txt", "a");
        write(base_ / "inside/sub/b.txt", "b");
        write(base_ / "outside/secret.txt", "secret");
        write(base_ / "inside-too.txt", "not in it");
        fs::create_symlink(base_ / "outside/secret.txt", base_ / "inside/link.txt");
        fs::create_directory_symlink(base_ / "outside", base_ / "inside/linked");
        fs::create_symlink("sub/b.txt", base_ / "inside/within.txt");
    }
    ~FolderTest() override { fs::remove_all(base_); }

    static void write(const fs::path& path, std::string_view text) {
        ASSERT_TRUE(base::write_file(path.string(), text));
    }
    Folder folder() const { return *Folder::open((base_ / "inside").string()); }

    fs::path base_;
};

TEST_F(FolderTest, ReadsWhatIsInItAndNothingElse) {
    Folder inside = folder();
    EXPECT_EQ(*inside.read("a.txt"), "a");
    EXPECT_EQ(*inside.read("sub/../a.txt"), "a");
    EXPECT_EQ(*inside.read((base_ / "inside/sub/b.txt").string()), "b");
    EXPECT_EQ(*inside.read("within.txt"), "b");  // a link that stays inside
    for (std::string path :
         {"../outside/secret.txt", "link.txt", "linked/secret.txt", "sub/../../outside/secret.txt",
          "../inside-too.txt", "/etc/hostname", "..", "", "no.txt", "sub"})
        EXPECT_FALSE(inside.read(path)) << path;
    EXPECT_FALSE(inside.read(std::string("a.txt\0", 6)));
}

TEST_F(FolderTest, WritesOnlyInIt) {
    Folder inside = folder();
    EXPECT_TRUE(inside.write("new.txt", "new"));
    EXPECT_EQ(*inside.read("new.txt"), "new");
    for (std::string path : {"../new.txt", "link.txt", "linked/new.txt", ".hidden", "sub/.hidden/x",
                             "no/such/folder.txt", "sub", ""})
        EXPECT_FALSE(inside.write(path, "x")) << path;
    EXPECT_EQ(*base::read_file((base_ / "outside/secret.txt").string()), "secret");
    EXPECT_FALSE(fs::exists(base_ / "new.txt"));
    EXPECT_FALSE(fs::exists(base_ / "outside/new.txt"));
}

TEST_F(FolderTest, APipeHoldsNobodyUp) {
    ASSERT_EQ(mkfifo((base_ / "inside/pipe").c_str(), 0600), 0);
    EXPECT_FALSE(folder().read("pipe"));
    EXPECT_FALSE(folder().write("pipe", "x"));
}

TEST_F(FolderTest, ListsPlainFiles) {
    write(base_ / "inside/.hidden", "x");
    std::vector<std::string> names;
    for (const ListedFile& file : folder().list()) names.push_back(file.path);
    EXPECT_EQ(names, (std::vector<std::string>{"a.txt", "sub/b.txt"}));
}

TEST_F(FolderTest, IsAFolder) {
    EXPECT_FALSE(Folder::open((base_ / "inside/a.txt").string()));
    EXPECT_FALSE(Folder::open((base_ / "nothing").string()));
}

// Paths made of the parts that lead somewhere: whatever they are, the answer is that of the kernel, which is
// asked in another way.
TEST_F(FolderTest, RandomPathsAreJudgedByWhereTheyLead) {
    Folder inside = folder();
    std::string root = fs::canonical(base_ / "inside").string() + "/";
    std::mt19937 random(7);
    const std::vector<std::string> parts{"..",         ".",      "sub",     "linked",     "a.txt",
                                         "b.txt",      "inside", "outside", "secret.txt", "link.txt",
                                         "within.txt", "",       "no"};
    int readable = 0;
    for (int i = 0; i < 5000; ++i) {
        std::string path;
        for (std::size_t n = 1 + random() % 6; n > 0; --n)
            path += (path.empty() ? "" : "/") + parts[random() % parts.size()];
        std::error_code fault;
        fs::path real = fs::canonical(fs::path(root) / path, fault);
        bool expected =
            !fault && !path.empty() && fs::is_regular_file(real) && real.string().starts_with(root);
        EXPECT_EQ(inside.read(path).has_value(), expected) << "seed 7, path " << path;
        readable += expected ? 1 : 0;
    }
    EXPECT_GT(readable, 50);
}

}  // namespace
}  // namespace treaty::workbench
