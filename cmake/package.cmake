# The Debian package of the program: `make deb`. What it depends on is computed from what the program is linked with
# (dpkg-shlibdeps); scripts/check_deb.sh installs it on a system that has nothing else.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME treaty)
set(CPACK_PACKAGE_VENDOR "Treaty")
set(CPACK_PACKAGE_CONTACT "Treaty maintainers <maintainers@treaty.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "model-driven testing of message-passing systems")
set(CPACK_PACKAGE_DESCRIPTION "Treaty reads a protocol between any number of roles, tells whether it can work and what each
role must do, tests real programs against it, and judges real traffic by it.")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME treaty)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Text in pictures is measured with a font.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fonts-dejavu-core)
include(CPack)
