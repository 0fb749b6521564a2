// From an address to something to speak through: the socket, and what is layered on it.
#pragma once

#include <memory>

#include "base/descriptor.h"
#include "base/result.h"
#include "net/address.h"
#include "net/transport.h"

namespace treaty::net {

// Where to connect to: resolved once, with the certificates that are trusted. May be used any number of
// times.
class Destination {
public:
    // A fault if the host is not known or a file cannot be used.
    static base::Result<std::shared_ptr<const Destination>> make(const Address& address);

    // A stream, encrypted as the address states, on its way to be connected: what becomes of it shows when
    // it is spoken through. Not for datagrams.
    std::unique_ptr<Transport> start(const Loop& loop) const;
    // One attempt to reach a component that listens, with all layers; a fault if it is not there yet. Waits
    // on the loop for at most a second.
    base::Result<std::unique_ptr<Transport>> reach(Loop loop) const;

private:
    struct Parts;
    explicit Destination(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
    std::shared_ptr<const Parts> parts_;
};

// Both at once, for one that is reached once.
base::Result<std::unique_ptr<Transport>> reach(const Loop& loop, const Address& address);

// The side of an address on which this process listens; kept over the sessions.
class Listener {
public:
    // A fault if the address is not free or a file cannot be used.
    static base::Result<std::shared_ptr<Listener>> open(const Loop& loop, const Address& address);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // With the host and the port where it is bound, as numbers.
    const Address& address() const { return address_; }
    // A stream, encrypted as the address states, to the next client that has connected; null if no client is
    // waiting. Not for datagrams.
    std::unique_ptr<Transport> accept();
    // No connection can be accepted now, because descriptors or memory are missing, although a client waits.
    bool exhausted() const { return exhausted_; }
    void await_events();
    void on_wake(Wake wake);

private:
    friend std::unique_ptr<Transport> await_caller(const std::shared_ptr<Listener>&, Time);
    struct Parts;
    Listener(Loop loop, Address address, std::unique_ptr<Parts> parts);

    Loop loop_;
    Address address_;
    std::unique_ptr<Parts> parts_;
    bool exhausted_ = false;
};

// What the next component that connects is spoken to through, with all layers; null if none does before the
// deadline.
std::unique_ptr<Transport> await_caller(const std::shared_ptr<Listener>& listener, Time deadline);

// The standard output and input of a program that was started.
std::unique_ptr<Transport> over_pipes(const Loop& loop, base::Descriptor from, base::Descriptor to);

}  // namespace treaty::net
