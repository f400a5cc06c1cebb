// SPDX-License-Identifier: Apache-2.0
#include "core/base/large_memory.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace cannery;

class TstLargeMemory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isAlignedAndWhole_data();
    void isAlignedAndWhole();
    void piecesOfAnArenaAreApart();
};

void TstLargeMemory::isAlignedAndWhole_data()
{
    constexpr qint64 kMegabyte = 1 << 20;
    QTest::addColumn<qint64>("bytes");
    for (const qint64 bytes : {qint64{1}, qint64{64}, qint64{1000}, 3 * kMegabyte + 1,
                               4 * kMegabyte, 5 * kMegabyte + 7}) {
        QTest::addRow("%lld bytes", static_cast<long long>(bytes)) << bytes;
    }
}

/// A build with AddressSanitizer sees a write after the end.
void TstLargeMemory::isAlignedAndWhole()
{
    QFETCH(qint64, bytes);
    void* const memory = allocateLarge(static_cast<std::size_t>(bytes));
    QVERIFY(memory != nullptr);
    QCOMPARE(reinterpret_cast<std::uintptr_t>(memory) % kLineBytes, std::uintptr_t{0});
    std::memset(memory, 1, static_cast<std::size_t>(bytes));
    QCOMPARE(static_cast<const char*>(memory)[bytes - 1], char{1});
    std::free(memory);
}

/// Pieces that do not fit the first memory come from further memory.
void TstLargeMemory::piecesOfAnArenaAreApart()
{
    std::pmr::monotonic_buffer_resource arena(1000, largeMemory());
    std::vector<std::pmr::vector<std::size_t>> lists;
    for (std::size_t i = 0; i < 100; ++i) {
        lists.emplace_back(i, i, &arena);
    }
    for (std::size_t i = 0; i < lists.size(); ++i) {
        QCOMPARE(lists[i].size(), i);
        QVERIFY(std::ranges::all_of(lists[i], [&](std::size_t value) { return value == i; }));
    }
}

CANNERY_TEST(TstLargeMemory)
#include "tst_large_memory.moc"
