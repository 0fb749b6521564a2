#include "watch/line_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/wait.h"

namespace treaty::watch {

namespace {
constexpr std::size_t chunk = std::size_t{1} << 18;
constexpr std::size_t padding = 64;
}  // namespace

LineReader::LineReader(std::string path, bool follow) : path_(std::move(path)), follow_(follow) {
    // Opening a followed pipe must not block.
    fd_ =
        path_ == "-" ? STDIN_FILENO : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | (follow ? O_NONBLOCK : 0));
    if (fd_ < 0) return;
    struct stat status {};
    seekable_ = ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
    if (::fstat(fd_, &status) == 0 && S_ISDIR(status.st_mode)) {
        ::close(fd_);
        fd_ = -1;
        errno = EISDIR;
    }
}

LineReader::~LineReader() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
}

// At the end of a followed file: whether there is something to read now, since it was cut short or another
// one has its name.
bool LineReader::started_anew() {
    struct stat mine {
    }, named{};
    if (!seekable_ || ::fstat(fd_, &mine) != 0 || ::stat(path_.c_str(), &named) != 0) return false;
    bool replaced = mine.st_ino != named.st_ino || mine.st_dev != named.st_dev;
    if (!replaced && static_cast<std::uint64_t>(mine.st_size) >= base_ + end_) return false;
    // Its writer may have gone on after the last look and before it was replaced: one more look at it.
    if (replaced && !replaced_) return replaced_ = true;
    int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    // A last line that was never ended.
    cut_off_ = replaced && (end_ > begin_ || skipping_);
    ::close(fd_);
    fd_ = fd;
    replaced_ = false;
    if (!cut_off_) begin_anew();
    return true;
}

void LineReader::begin_anew() {
    base_ = begin_ = end_ = searched_ = 0;
    number_ = 0;
    skipping_ = cut_off_ = false;
    ++restarts_;
}

LineReader::Filled LineReader::fill() {
    if (ended_) return Filled::end;
    if (cut_off_ && begin_ == end_ && !skipping_) begin_anew();
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        base_ += begin_;
        begin_ = 0;
    }
    if (buffer_.size() < end_ + chunk + padding) buffer_.resize(end_ + chunk + padding);
    while (true) {
        if (follow_ && !seekable_) {
            if (!base::wait_readable(fd_, base::Clock::now())) return Filled::wait;
        }
        ssize_t got = ::read(fd_, buffer_.data() + end_, chunk);
        if (got > 0) {
            end_ += static_cast<std::size_t>(got);
            replaced_ = false;
            return Filled::some;
        }
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Filled::wait;
        if (follow_ && seekable_) {
            if (!started_anew()) return Filled::wait;
            if (cut_off_) {
                buffer_[end_++] = '\n';
                return Filled::some;
            }
            continue;
        }
        if (!follow_ || got < 0 || !seekable_) ended_ = true;
        return Filled::end;
    }
}

char LineReader::first() {
    while (true) {
        while (begin_ < end_ && std::strchr(" \t\r\n", buffer_[begin_])) {
            number_ += buffer_[begin_] == '\n';
            ++begin_;
        }
        if (begin_ < end_) return buffer_[begin_];
        if (fill() != Filled::some) return 0;
    }
}

Line LineReader::next(std::string_view& line, bool& too_long) {
    too_long = false;
    while (true) {
        const char* start = buffer_.data() + begin_;
        std::size_t size = end_ - begin_;
        const void* newline =
            size > searched_ ? std::memchr(start + searched_, '\n', size - searched_) : nullptr;
        std::size_t length =
            newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - start) : size;
        bool last = false;
        if (!newline) {
            if (length > line_limit) {  // drop what is here, the rest of the line follows
                begin_ = end_;
                length = 0;
                skipping_ = true;
            }
            searched_ = length;
            Filled filled = fill();
            if (filled == Filled::some) continue;
            if (filled == Filled::wait) return Line::wait;
            if (length == 0 && !skipping_) return Line::end;
            start = buffer_.data() + begin_;
            last = true;
        }
        ++number_;
        line_offset_ = base_ + begin_;
        begin_ += length + (last ? 0 : 1);
        searched_ = 0;
        too_long = skipping_ || length > line_limit;
        skipping_ = false;
        line = too_long ? std::string_view() : std::string_view(start, length);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return Line::line;
    }
}

std::uint64_t LineReader::known_by(std::uint64_t offset) const {
    char bytes[256];
    std::size_t size = std::min<std::uint64_t>(offset, sizeof bytes);
    if (size == 0 || !seekable_ ||
        ::pread(fd_, bytes, size, static_cast<off_t>(offset - size)) != static_cast<ssize_t>(size))
        return 0;
    return base::hash_bytes({bytes, size});
}

bool LineReader::resume(std::uint64_t offset, std::uint64_t lines) {
    struct stat status {};
    if (!seekable_ || ::fstat(fd_, &status) != 0 || static_cast<std::uint64_t>(status.st_size) < offset)
        return false;
    if (::lseek(fd_, static_cast<off_t>(offset), SEEK_SET) < 0) return false;
    base_ = offset;
    begin_ = end_ = searched_ = 0;
    number_ = lines;
    ended_ = skipping_ = false;
    return true;
}

std::uint64_t LineReader::unread() const {
    std::uint64_t waiting = 0;
    struct stat status {};
    int there = 0;
    if (seekable_) {
        if (::fstat(fd_, &status) == 0 && static_cast<std::uint64_t>(status.st_size) > base_ + end_)
            waiting = static_cast<std::uint64_t>(status.st_size) - (base_ + end_);
    } else if (::ioctl(fd_, FIONREAD, &there) == 0 && there > 0) {
        waiting = static_cast<std::uint64_t>(there);
    }
    return waiting + (end_ - begin_);
}

}  // namespace treaty::watch
