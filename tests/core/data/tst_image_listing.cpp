// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/data_source_catalog.h"
#include "core/data/sources/image_listing.h"
#include "storage/images/image.h"
#include "tests/core/data/picture_folder.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::data;
using namespace cannery::tests;

/// Which files of a folder are pictures, and of which class.
class TstImageListing : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void picturesBesideClassesAreLeftOut();
    void whatIsNoPictureIsLeftOut();
    void splitsAreFolders();
    void foldersAreRecognisedAndDescribed();
    void linksAreFollowedWhereClassesAre();
};

void TstImageListing::picturesBesideClassesAreLeftOut()
{
    const PictureFolder folder;
    folder.put("b.png", "rgb.png");
    folder.put("a.png", "rgb.png");
    folder.put("cat/c.png", "rgb.png");
    const auto listing = listImages(folder.root(), "");
    VERIFY_OK(listing);
    QCOMPARE(listing->paths.size(), std::size_t{1});
    QCOMPARE(listing->warnings.size(), std::size_t{1});
    QVERIFY(listing->warnings[0].starts_with("2 pictures are in no folder of a class, such as " +
                                             folder.pathOf("a.png")));
}

void TstImageListing::whatIsNoPictureIsLeftOut()
{
    const PictureFolder folder;
    folder.put("cat/a.png", "rgb.png");
    folder.put("cat/.b.png", "rgb.png");
    folder.put("cat/notes.txt", "text.jpg");
    folder.put("cat/c.gif", "one_frame.gif");
    folder.put(".git/d.png", "rgb.png");
    QDir().mkpath(QString::fromStdString(folder.pathOf("empty")));
    const auto listing = listImages(folder.root() + "/", "");
    VERIFY_OK(listing);
    QCOMPARE(listing->classes, std::vector<std::string>{"cat"});
    QCOMPARE(listing->paths, std::vector<std::string>{folder.pathOf("cat/a.png")});
    QCOMPARE(listing->relative(0), std::string("cat/a.png"));
    QCOMPARE(listing->warnings.size(), std::size_t{1});
    QVERIFY(listing->warnings[0].starts_with("2 files are no pictures by their names"));
}

void TstImageListing::splitsAreFolders()
{
    const PictureFolder folder;
    const auto all = listImages(PictureFolder::shapes(), "");
    VERIFY_OK(all);
    QCOMPARE(all->classes, (std::vector<std::string>{"circle", "square"}));
    QCOMPARE(all->paths.size(), std::size_t{36});
    QCOMPARE(all->relative(0), std::string("train/circle/00.png"));
    QCOMPARE(all->classOf.front(), 0U);
    QCOMPARE(all->classOf.back(), 1U);
    const auto part = listImages(PictureFolder::shapes(), "validation");
    VERIFY_OK(part);
    QCOMPARE(part->paths.size(), std::size_t{12});
    QCOMPARE(part->relative(0), std::string("circle/00.png"));
    const auto pair = imageSplitsOf(PictureFolder::shapes());
    QVERIFY(pair && pair->train == "train" && pair->eval == "validation");
    QVERIFY(!imageSplitsOf(PictureFolder::shapes() + "/train"));
    // Classes may be called like splits.
    folder.put("train/a.png", "rgb.png");
    folder.put("test/a.png", "rgb.png");
    QCOMPARE(listImages(folder.root(), "")->classes, (std::vector<std::string>{"test", "train"}));
}

void TstImageListing::foldersAreRecognisedAndDescribed()
{
    const PictureFolder folder;
    const spec::DataSource shapes = sourceOfFile(PictureFolder::shapes());
    QVERIFY(shapes.has_image_folder());
    QCOMPARE(shapes.image_folder().path(), PictureFolder::shapes());
    // Some are grey, others RGB.
    QCOMPARE(shapes.image_folder().height(), std::int64_t{16});
    QCOMPARE(shapes.image_folder().width(), std::int64_t{16});
    QVERIFY(!shapes.image_folder().has_channels());
    folder.put("cat/a.png", "grey.png");
    folder.put("cat/b.png", "grey.png");
    const auto image = storage::readImageFile(PictureFolder::golden("grey.png"));
    const spec::DataSource alike = sourceOfFile(folder.root());
    QVERIFY(alike.has_image_folder());
    QCOMPARE(alike.image_folder().height(), image->height);
    QCOMPARE(alike.image_folder().width(), image->width);
    QCOMPARE(alike.image_folder().channels(), std::int64_t{1});
    folder.put("cat/c.jpg", "column.jpg");
    const spec::DataSource mixed = sourceOfFile(folder.root());
    QCOMPARE(mixed.image_folder().height(), std::int64_t{160});
    QVERIFY(!mixed.image_folder().has_channels());
    // Pictures of a project are its plots.
    folder.put("titanic.cannery", "text.jpg");
    QVERIFY(!sourceOfFile(folder.root()).has_image_folder());
    QVERIFY(!sourceOfFile(PictureFolder::golden("rgb.png")).has_image_folder());
    const PictureFolder records;
    records.put("a.png", "grey.png");
    records.put("rows.tfrecord", "text.jpg");
    QVERIFY(!sourceOfFile(records.root()).has_image_folder());
}

void TstImageListing::linksAreFollowedWhereClassesAre()
{
    const PictureFolder folder;
    folder.put("real/cat/a.png", "rgb.png");
    folder.put("top/dog/b.png", "rgb.png");
    QVERIFY(folder.link("real/cat", "top/cat"));
    QVERIFY(folder.link("real/cat/a.png", "top/dog/c.png"));
    QVERIFY(folder.link("top", "top/dog/loop"));
    const auto listing = listImages(folder.pathOf("top"), "");
    VERIFY_OK(listing);
    QCOMPARE(listing->paths, (std::vector<std::string>{folder.pathOf("top/cat/a.png"),
                                                       folder.pathOf("top/dog/b.png"),
                                                       folder.pathOf("top/dog/c.png")}));
}

CANNERY_TEST(TstImageListing)
#include "tst_image_listing.moc"
