// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <memory>

using namespace cannery::ui;

/// The wheel over a form scrolls it, whatever stands below the pointer.
class TstWheelGuard : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qobject_cast<QApplication*>(qApp), {}); }
    void init();
    void aBoxWithoutFocusLetsTheFormScroll_data();
    void aBoxWithoutFocusLetsTheFormScroll();
    void aBoxWithFocusTakesTheWheel();
    void noBoxGetsTheFocusByTheWheel();
    void aListOfChoicesScrolls();
    void dialogsAreGuardedToo();

private:
    static void turnWheel(QWidget& target, int notches);

    std::unique_ptr<QScrollArea> m_area;
    QComboBox* m_combo = nullptr;
    QComboBox* m_editable = nullptr;
    QSpinBox* m_spin = nullptr;
    QDoubleSpinBox* m_double = nullptr;
    QSlider* m_slider = nullptr;
    QWidget* m_other = nullptr;
};

void TstWheelGuard::init()
{
    m_area = std::make_unique<QScrollArea>();
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    const auto add = [&](auto* box, const char* name) {
        box->setObjectName(name);
        column->addWidget(box);
        return box;
    };
    m_combo = add(new QComboBox, "combo");
    m_editable = add(new QComboBox, "editable");
    m_editable->setEditable(true);
    for (QComboBox* box : {m_combo, m_editable}) {
        box->addItems({"a", "b", "c"});
        box->setCurrentIndex(1);
    }
    m_spin = add(new QSpinBox, "spin");
    m_spin->setValue(50);
    m_double = add(new QDoubleSpinBox, "double");
    m_double->setValue(50);
    m_slider = add(new QSlider(Qt::Horizontal), "slider");
    m_slider->setValue(50);
    m_other = add(new QWidget, "other");
    m_other->setFocusPolicy(Qt::StrongFocus);
    m_other->setMinimumHeight(2000);
    m_area->setWidget(form);
    m_area->setWidgetResizable(true);
    m_area->resize(300, 300);
    m_area->show();
    QVERIFY(QTest::qWaitForWindowActive(m_area.get()));
    m_other->setFocus();
}

/// As Qt delivers it: to the widget below the pointer, and from there to its parents.
void TstWheelGuard::turnWheel(QWidget& target, int notches)
{
    const QPointF at(target.rect().center());
    QWheelEvent event(at, target.mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&event); // only such an event may give the focus and goes on
    qApp->notify(&target, &event);
}

void TstWheelGuard::aBoxWithoutFocusLetsTheFormScroll_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"combo", "editable", "spin", "double", "slider"}) {
        QTest::newRow(name) << QString::fromLatin1(name);
    }
}

void TstWheelGuard::aBoxWithoutFocusLetsTheFormScroll()
{
    QFETCH(QString, name);
    auto* box = m_area->findChild<QWidget*>(name);
    turnWheel(*box, -1);
    QCOMPARE(m_combo->currentIndex(), 1);
    QCOMPARE(m_editable->currentIndex(), 1);
    QCOMPARE(m_spin->value(), 50);
    QCOMPARE(m_double->value(), 50.0);
    QCOMPARE(m_slider->value(), 50);
    QVERIFY(m_area->verticalScrollBar()->value() > 0);
    QVERIFY(m_other->hasFocus());
}

void TstWheelGuard::aBoxWithFocusTakesTheWheel()
{
    m_combo->setFocus();
    turnWheel(*m_combo, -1);
    QCOMPARE(m_combo->currentIndex(), 2);
    m_spin->setFocus();
    turnWheel(*m_spin, 1);
    QCOMPARE(m_spin->value(), 51);
    QCOMPARE(m_area->verticalScrollBar()->value(), 0);
}

void TstWheelGuard::noBoxGetsTheFocusByTheWheel()
{
    for (const QWidget* box : {static_cast<QWidget*>(m_combo), static_cast<QWidget*>(m_editable),
                               static_cast<QWidget*>(m_spin), static_cast<QWidget*>(m_double),
                               static_cast<QWidget*>(m_slider)}) {
        QVERIFY2(box->focusPolicy() != Qt::WheelFocus, qPrintable(box->objectName()));
    }
}

void TstWheelGuard::aListOfChoicesScrolls()
{
    for (int i = 0; i < 200; ++i) {
        m_combo->addItem(QString::number(i));
    }
    m_combo->setMaxVisibleItems(5);
    m_combo->showPopup();
    QWidget* list = QApplication::activePopupWidget();
    QVERIFY(list != nullptr);
    auto* view = list->findChild<QAbstractScrollArea*>();
    QVERIFY(view != nullptr);
    turnWheel(*view->viewport(), -1);
    QVERIFY(view->verticalScrollBar()->value() > 0);
    m_combo->hidePopup();
}

void TstWheelGuard::dialogsAreGuardedToo()
{
    QDialog dialog;
    auto* column = new QVBoxLayout(&dialog);
    auto* line = new QWidget;
    line->setFocusPolicy(Qt::StrongFocus);
    auto* box = new QSpinBox;
    box->setValue(5);
    column->addWidget(line);
    column->addWidget(box);
    dialog.show();
    QVERIFY(QTest::qWaitForWindowActive(&dialog));
    line->setFocus();
    turnWheel(*box, 1);
    QCOMPARE(box->value(), 5);
}

CANNERY_TEST(TstWheelGuard)
#include "tst_wheel_guard.moc"
