// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/nccl_member.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>

using namespace cannery::kernels;
using namespace cannery::kernels::cuda;

/// How NVIDIA's library for groups is called; the one here has groups of one.
class TstNccl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anIdLeadsIntoAGroup();
    void membersMoveTheirNumbers();
    void aGroupThatWasGivenUpMovesNothing();
    void failuresAreInItsOwnWords();
    void withoutTheLibraryThereAreNoGroups();
};

namespace {

const Nccl& fakeNccl()
{
    static const Nccl kFake(CANNERY_FAKE_NCCL);
    return kFake;
}

std::unique_ptr<NcclMember> joined()
{
    GroupId id{};
    std::unique_ptr<NcclMember> member;
    const bool isIn = fakeNccl().makeId(id).ok() &&
                      NcclMember::join(fakeNccl(), {.id = id, .member = {}}, member).ok();
    return isIn ? std::move(member) : nullptr;
}

} // namespace

void TstNccl::anIdLeadsIntoAGroup()
{
    QVERIFY(fakeNccl().loaded().ok());
    const auto member = joined();
    QVERIFY(member != nullptr);
    QVERIFY(member->leave().ok());
}

void TstNccl::membersMoveTheirNumbers()
{
    const auto member = joined();
    std::array<float, 3> values{1, 2, 3};
    std::array<float, 3> received{};
    QVERIFY(member->run(ExchangeParts{{}, values.data(), 3, received.data()}, nullptr).ok());
    QVERIFY(received == values);
    QVERIFY(member->run(GatherParts{{}, values.data(), 3}, nullptr).ok());
    QVERIFY(received == values);
    std::array<std::int32_t, 2> rows{5, 7};
    std::array<float, 4> rowValues{1, 2, 3, 4};
    std::int64_t count = 2;
    std::array<std::int32_t, 2> allRows{};
    std::array<float, 4> allValues{};
    std::int64_t allCounts = 0;
    const GatherSparse gather{.group = {},
                              .own = {.rows = rows.data(),
                                      .values = rowValues.data(),
                                      .count = &count,
                                      .capacity = 2,
                                      .cols = 2,
                                      .tableRows = 9},
                              .rows = allRows.data(),
                              .values = allValues.data(),
                              .counts = &allCounts};
    QVERIFY(member->run(gather, nullptr).ok());
    QVERIFY(allRows == rows);
    QVERIFY(allValues == rowValues);
    QCOMPARE(allCounts, 2);
    QVERIFY(member->leave().ok());
}

void TstNccl::aGroupThatWasGivenUpMovesNothing()
{
    const auto member = joined();
    member->abandon();
    std::array<float, 3> values{1, 2, 3};
    const CallStatus status = member->run(GatherParts{{}, values.data(), 3}, nullptr);
    QVERIFY(status.outcome == Outcome::Failed);
    QVERIFY(member->leave().ok());
}

void TstNccl::failuresAreInItsOwnWords()
{
    std::unique_ptr<NcclMember> member;
    const CallStatus status =
        NcclMember::join(fakeNccl(), {.id = {}, .member = {.rank = 1, .size = 2}}, member);
    QVERIFY(status.outcome == Outcome::Failed);
    QCOMPARE(status.reason, std::string("invalid argument"));
    QVERIFY(member == nullptr);
}

void TstNccl::withoutTheLibraryThereAreNoGroups()
{
    // The second one is a library, but not this one.
    for (const char* const file : {"/nowhere/libnccl.so.2", "libc.so.6"}) {
        const Nccl missing(file);
        const CallStatus status = missing.loaded();
        QVERIFY(status.outcome == Outcome::NoNccl);
        QVERIFY(!status.reason.empty());
        std::unique_ptr<NcclMember> member;
        QVERIFY(NcclMember::join(missing, {}, member).outcome == Outcome::NoNccl);
    }
}

CANNERY_TEST(TstNccl)
#include "tst_nccl.moc"
