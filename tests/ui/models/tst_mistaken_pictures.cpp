// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/models/pictures/mistaken_pictures.h"
#include "ui/models/pictures/picture_role.h"

#include <QTest>

using namespace cannery::ui;

/// What the window reads in predictions of pictures.
class TstMistakenPictures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theMostConfidentComeFirst();
    void predictionsWithoutPathsAreNoticed();
    void whatIsNoPredictionIsLeftOut();
    void onlySoManyAreKept();
    void eachSaysWhatItIsAndWhatTheModelSays();
};

namespace {

QByteArray lineOf(const QByteArray& path, const QByteArray& said, double probability)
{
    return "{\"path\":\"" + path + "\",\"probabilities\":[" + QByteArray::number(1 - probability) +
           ',' + QByteArray::number(probability) + "],\"classes\":[\"" + said + "\"]}\n";
}

} // namespace

void TstMistakenPictures::theMostConfidentComeFirst()
{
    const PictureMistakes mistakes =
        mistakesOf(lineOf("cat/1.jpg", "cat", 0.9) + lineOf("dog/2.jpg", "cat", 0.6) +
                   lineOf("cat/in/3.jpg", "dog", 0.75) + lineOf("dog/4.jpg", "cat", 0.75));
    QCOMPARE(mistakes.pictures, 4);
    QCOMPARE(mistakes.mistaken, 3);
    QVERIFY(mistakes.hasPaths);
    const QList<MistakenPicture> expected{{"cat/in/3.jpg", "cat", "dog", 0.75},
                                          {"dog/4.jpg", "dog", "cat", 0.75},
                                          {"dog/2.jpg", "dog", "cat", 0.6}};
    QCOMPARE(mistakes.worst, expected);
}

void TstMistakenPictures::predictionsWithoutPathsAreNoticed()
{
    QVERIFY(!mistakesOf("{\"probabilities\":[0.4,0.6],\"classes\":[\"cat\"]}\n").hasPaths);
    QVERIFY(mistakesOf("").hasPaths);
}

void TstMistakenPictures::whatIsNoPredictionIsLeftOut()
{
    const PictureMistakes mistakes =
        mistakesOf("{\"path\":\"cat/1.jpg\",\"error\":\"It breaks off.\"}\nno JSON\n[]\n" +
                   lineOf("cat/2.jpg", "cat", 0.9));
    QCOMPARE(mistakes.pictures, 1);
    QCOMPARE(mistakes.mistaken, 0);
}

void TstMistakenPictures::onlySoManyAreKept()
{
    QByteArray lines;
    for (int i = 0; i < PictureMistakes::kMostMistakes + 7; ++i) {
        lines += lineOf("dog/" + QByteArray::number(i) + ".png", "cat", 0.5 + i * 1e-4);
    }
    const PictureMistakes mistakes = mistakesOf(lines);
    QCOMPARE(mistakes.mistaken, PictureMistakes::kMostMistakes + 7);
    QCOMPARE(mistakes.worst.size(), PictureMistakes::kMostMistakes);
    QCOMPARE(mistakes.worst.last().path, QStringLiteral("dog/7.png"));
}

void TstMistakenPictures::eachSaysWhatItIsAndWhatTheModelSays()
{
    MistakenPicturesModel model;
    model.setPictures("/pictures", {{"dog/2.jpg", "dog", "cat", 0.987}});
    QCOMPARE(model.rowCount(), 1);
    const QModelIndex first = model.index(0);
    QCOMPARE(first.data(PictureRole::File).toString(), QStringLiteral("/pictures/dog/2.jpg"));
    QCOMPARE(first.data().toString(), QStringLiteral("cat, 99 %"));
    QCOMPARE(first.data(PictureRole::SecondLine).toString(), QStringLiteral("is dog"));
    QVERIFY(first.data(PictureRole::IsWrong).toBool());
}

CANNERY_TEST(TstMistakenPictures)
#include "tst_mistaken_pictures.moc"
