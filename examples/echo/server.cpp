// The echo server in C++, over standard input and output. usage: server [--bug NAME [--at N]]
//
// The bugs of server.py, and three that only such a program has, all at the first line or at the N-th:
//   empty    a wrong answer to the empty line       case       letters changed
//   type     a line of its own before the answer    silent     no answer from there on
//   exception, null, abort, overflow                ends by an exception, through a null pointer, by abort(),
//   or
//                                                   reads beyond the end of the line, which a sanitizer sees
//   end      by an exception after the last line
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace {

struct Bug {
    std::string name;
    unsigned long at = 1;
};

Bug read_bug(int count, char** words) {
    Bug bug;
    for (int i = 1; i + 1 < count; i += 2) {
        if (std::strcmp(words[i], "--bug") == 0) bug.name = words[i + 1];
        if (std::strcmp(words[i], "--at") == 0) bug.at = std::strtoul(words[i + 1], nullptr, 10);
    }
    return bug;
}

// One more than the line has, so that even an empty one is overrun.
int sum_too_far(const std::string& line) {
    int* letters = new int[line.size() + 1]();
    volatile std::size_t beyond = line.size() + 1;
    int sum = letters[beyond];
    delete[] letters;
    return sum;
}

void break_down(const std::string& bug, const std::string& line) {
    int* volatile nothing = nullptr;
    if (bug == "exception") throw std::runtime_error("this line was too much");
    if (bug == "null") *nothing = 1;
    if (bug == "abort") std::abort();
    if (bug == "overflow") std::cerr << "sum " << sum_too_far(line) << '\n';
    if (bug == "silent")
        while (true) pause();
    if (bug == "type") std::cout << "you said:" << std::endl;
}

}  // namespace

int main(int count, char** words) {
    Bug bug = read_bug(count, words);
    std::string line;
    for (unsigned long lines = 1; std::getline(std::cin, line); ++lines) {
        if (lines == bug.at) break_down(bug.name, line);
        if (bug.name == "empty" && line.empty()) line = "BUG!";
        if (bug.name == "case")
            std::transform(line.begin(), line.end(), line.begin(),
                           [](unsigned char c) { return std::toupper(c); });
        std::cout << line << std::endl;
    }
    if (bug.name == "end") throw std::runtime_error("nobody is there");
}
