// SPDX-License-Identifier: Apache-2.0
#include "storage/io/guarded_mapping.h"
#include "tests/support/test_main.h"

#include <QTemporaryFile>
#include <QTest>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

using namespace cannery::storage;

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPages = 8;

/// How a child process that runs this ends.
template <typename Function>
int endOf(const Function& function)
{
    const pid_t child = ::fork();
    if (child == 0) {
        function();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

} // namespace

/// A failing disk under a mapping, as far as a test can simulate it: the file is truncated.
class TstGuardedMapping : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Before the first mapping, which saves the previous signal handler.
    void initTestCase() { ::signal(SIGBUS, SIG_DFL); }
    void init();
    void givesTheFilesBytes();
    void lostPagesAreZerosAndAreTold();
    void manyThreadsMayMeetTheSameLoss();
    void writingToALostPageGoesNowhere();
    void otherMappingsStaySound();
    void aFaultElsewhereStillEndsTheProcess();

private:
    std::optional<GuardedMapping> map(GuardedMapping::Access access = GuardedMapping::Access::Read)
    {
        return GuardedMapping::map(m_file->handle(), 0, kPages * kPage, access);
    }
    std::unique_ptr<QTemporaryFile> m_file;
};

void TstGuardedMapping::init()
{
    m_file = std::make_unique<QTemporaryFile>();
    QVERIFY(m_file->open());
    QCOMPARE(m_file->write(QByteArray(kPages * kPage, 'x')), qint64(kPages * kPage));
    QVERIFY(m_file->flush());
}

void TstGuardedMapping::givesTheFilesBytes()
{
    const auto mapping = map();
    QVERIFY(mapping.has_value());
    QCOMPARE(mapping->size(), kPages * kPage);
    for (std::size_t at = 0; at < mapping->size(); ++at) {
        QCOMPARE(mapping->begin()[at], std::byte('x'));
    }
    QVERIFY(!mapping->isDamaged());
    QVERIFY(!GuardedMapping::map(-1, 0, kPage, GuardedMapping::Access::Read));
}

void TstGuardedMapping::lostPagesAreZerosAndAreTold()
{
    const auto mapping = map();
    QVERIFY(mapping.has_value());
    QVERIFY(m_file->resize(3 * kPage));
    QCOMPARE(mapping->begin()[3 * kPage - 1], std::byte('x'));
    QVERIFY(!mapping->isDamaged());
    for (std::size_t at = 3 * kPage; at < mapping->size(); ++at) {
        QCOMPARE(mapping->begin()[at], std::byte(0));
    }
    QVERIFY(mapping->isDamaged());
    QVERIFY(GuardedMapping::isAnyDamaged());
}

void TstGuardedMapping::manyThreadsMayMeetTheSameLoss()
{
    const auto mapping = map();
    QVERIFY(mapping.has_value());
    QVERIFY(m_file->resize(0));
    std::atomic<int> zeros = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (std::size_t page = 0; page < kPages; ++page) {
                zeros += mapping->begin()[page * kPage] == std::byte(0) ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    QCOMPARE(zeros, 4 * int(kPages));
    QVERIFY(mapping->isDamaged());
}

void TstGuardedMapping::writingToALostPageGoesNowhere()
{
    const auto mapping = map(GuardedMapping::Access::ReadAndWrite);
    QVERIFY(mapping.has_value());
    mapping->begin()[5] = std::byte('y');
    QVERIFY(m_file->resize(kPage));
    mapping->begin()[kPage + 5] = std::byte('z');
    QCOMPARE(mapping->begin()[kPage + 5], std::byte('z'));
    QVERIFY(mapping->isDamaged());
    m_file->seek(0);
    QCOMPARE(m_file->readAll().left(6), QByteArray("xxxxxy"));
}

void TstGuardedMapping::otherMappingsStaySound()
{
    auto gone = map();
    QTemporaryFile other;
    QVERIFY(other.open() && other.resize(kPage));
    const auto sound = GuardedMapping::map(other.handle(), 0, kPage, GuardedMapping::Access::Read);
    QVERIFY(gone && sound);
    QVERIFY(m_file->resize(0));
    QCOMPARE(gone->begin()[0], std::byte(0));
    QVERIFY(gone->isDamaged() && !sound->isDamaged());
    gone.reset();
    // The slot of a destroyed mapping is available to another.
    QVERIFY(other.resize(kPages * kPage));
    for (int i = 0; i < 2000; ++i) {
        const auto again =
            GuardedMapping::map(other.handle(), 0, kPages * kPage, GuardedMapping::Access::Read);
        QVERIFY(again && !again->isDamaged());
    }
}

void TstGuardedMapping::aFaultElsewhereStillEndsTheProcess()
{
    const auto mapping = map(); // the handler is installed
    QVERIFY(mapping.has_value());
    const int fault = endOf([&] {
        void* bare = ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, m_file->handle(), 0);
        static_cast<void>(::ftruncate(m_file->handle(), 0));
        const volatile char first = *static_cast<const volatile char*>(bare);
        static_cast<void>(first);
    });
    QVERIFY(WIFSIGNALED(fault) && WTERMSIG(fault) == SIGBUS);
    const int sent = endOf([] { ::raise(SIGBUS); });
    QVERIFY(WIFSIGNALED(sent) && WTERMSIG(sent) == SIGBUS);
}

CANNERY_TEST(TstGuardedMapping)
#include "tst_guarded_mapping.moc"
