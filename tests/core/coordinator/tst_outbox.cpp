// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/outbox.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <string>

using namespace cannery::coordinator;
using Box = Outbox<std::string>;
using Next = Box::Next;

/// The messages that wait for a stream.
class TstOutbox : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oneMessageIsWrittenAtATimeInOrder();
    void theRestIsDeliveredBeforeTheEnd();
    void theRestIsDroppedButForWhatIsBeingWritten();
    void aFailedWriteDropsTheRest();
    void theEndIsSaidOnce();
};

void TstOutbox::oneMessageIsWrittenAtATimeInOrder()
{
    Box box;
    QCOMPARE(box.put("a"), Next::Write);
    QCOMPARE(box.put("b"), Next::Nothing);
    QCOMPARE(*box.current(), "a");
    QCOMPARE(box.written(true), Next::Write);
    QCOMPARE(*box.current(), "b");
    QCOMPARE(box.written(true), Next::Nothing);
    QCOMPARE(box.put("c"), Next::Write);
}

void TstOutbox::theRestIsDeliveredBeforeTheEnd()
{
    Box box;
    box.put("a");
    box.put("b");
    QCOMPARE(box.close(Box::Rest::Deliver), Next::Nothing);
    QCOMPARE(box.put("too late"), Next::Nothing);
    QCOMPARE(box.written(true), Next::Write);
    QCOMPARE(*box.current(), "b");
    QCOMPARE(box.written(true), Next::Finish);
}

void TstOutbox::theRestIsDroppedButForWhatIsBeingWritten()
{
    Box box;
    box.put("a");
    box.put("b");
    QCOMPARE(box.close(Box::Rest::Drop), Next::Nothing);
    QCOMPARE(*box.current(), "a");
    QCOMPARE(box.written(true), Next::Finish);
}

void TstOutbox::aFailedWriteDropsTheRest()
{
    Box box;
    box.put("a");
    box.put("b");
    QCOMPARE(box.written(false), Next::Nothing);
    QCOMPARE(box.close(Box::Rest::Deliver), Next::Finish);
}

void TstOutbox::theEndIsSaidOnce()
{
    Box box;
    QCOMPARE(box.close(Box::Rest::Deliver), Next::Finish);
    QCOMPARE(box.close(Box::Rest::Drop), Next::Nothing);
}

CANNERY_TEST(TstOutbox)
#include "tst_outbox.moc"
