#include "base/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

namespace treaty::base {

void Descriptor::reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
}

void set_nonblocking(int fd) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

int dup_descriptor(int fd) {
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

}  // namespace treaty::base
