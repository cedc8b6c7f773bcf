# The one library that consumers link, and the package that find_package(Tenon) finds.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# tenon_public_library(SOURCES model.cpp … HEADERS tenon.h base/result.h … DEPENDS engine cpu …)
#
# Two targets of the same sources. tenon_facade is static, like every folder: tests and the command line link it.
# tenon is libtenon.so: everything in one file, exporting what TENON_API marks and nothing else (tenon.map), so that
# a host may carry other versions of the same code without a clash.
function(tenon_public_library)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;DEPENDS" ${ARGN})
  tenon_library(facade SOURCES ${ARG_SOURCES} DEPENDS ${ARG_DEPENDS})

  add_library(tenon SHARED $<TARGET_OBJECTS:tenon_facade>)
  add_library(Tenon::tenon ALIAS tenon)
  set(map ${PROJECT_SOURCE_DIR}/cmake/tenon.map)
  target_link_libraries(tenon PRIVATE tenon_facade)
  target_link_options(tenon PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined)
  target_include_directories(tenon INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(tenon INTERFACE cxx_std_20)
  set_target_properties(tenon PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS ${map} VERSION ${PROJECT_VERSION}
                                         SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)
  install(TARGETS tenon EXPORT TenonTargets)
  foreach(header ${ARG_HEADERS})
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenon/${folder})
  endforeach()
  install(EXPORT TenonTargets NAMESPACE Tenon:: DESTINATION ${package_dir})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TenonConfig.cmake.in
                                ${PROJECT_BINARY_DIR}/TenonConfig.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/TenonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/TenonConfig.cmake ${PROJECT_BINARY_DIR}/TenonConfigVersion.cmake
          DESTINATION ${package_dir})
endfunction()

# tenon_install_compiler(base type … pass): the way from a file to a graph, for consumers who bring passes of their own:
# static libraries and all headers of those folders, which depend on each other alone, as Tenon::compiler.
function(tenon_install_compiler)
  set(targets ${ARGN})
  list(TRANSFORM targets PREPEND tenon_)
  add_library(tenon_compiler INTERFACE)
  target_link_libraries(tenon_compiler INTERFACE ${targets})
  target_compile_features(tenon_compiler INTERFACE cxx_std_20)
  target_include_directories(tenon_compiler INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(tenon_compiler PROPERTIES EXPORT_NAME compiler)
  install(TARGETS tenon_compiler ${targets} EXPORT TenonTargets)
  foreach(folder ${ARGN})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/tenon/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenon
            FILES_MATCHING PATTERN "*.h" PATTERN "*test*" EXCLUDE)
  endforeach()
endfunction()
